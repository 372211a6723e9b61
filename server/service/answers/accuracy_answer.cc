#include "service/answers/accuracy_answer.h"

#include <string>
#include <vector>

#include "domain/parse_collective.h"
#include "learn/accuracy.h"
#include "service/answers/find_machine.h"
#include "strategy/scenario.h"

namespace cox::service {
namespace {

void FromSummary(const learn::ErrorSummary& summary, v1::PredictionError* error) {
  error->set_median_error(summary.median);
  error->set_p90_error(summary.ninetieth);
  error->set_largest_error(summary.largest);
  error->set_cell_count(summary.cell_count);
}

void FromRow(const learn::AccuracyRow& row, const learn::Accuracy& accuracy,
             v1::AccuracyRow* message) {
  message->set_library(row.library);
  message->set_collective(row.collective);
  message->set_from_block_bytes(row.sizes.from_bytes);
  message->set_to_block_bytes(row.sizes.to_bytes);
  for (size_t m = 0; m < row.models.size(); ++m) {
    if (row.models[m].cell_count == 0) continue;
    v1::ModelAccuracy* model = message->add_models();
    model->set_model(std::string(accuracy.models()[m]->id()));
    FromSummary(row.models[m], model->mutable_error());
  }
  if (row.best >= 0) message->set_best_model(std::string(accuracy.models()[row.best]->id()));
  if (row.corrected.cell_count > 0) FromSummary(row.corrected, message->mutable_left_out());
  if (const model::Model* selected = accuracy.SelectedFor(row.collective); selected != nullptr) {
    message->set_selected_model(std::string(selected->id()));
  }
}

}  // namespace

absl::Status AnswerAccuracy(const daemon::Snapshot& snapshot, const v1::GetAccuracyRequest& request,
                            RevisionViews* revisions, const domain::IsCancelled& is_cancelled,
                            v1::GetAccuracyResponse* response) {
  const auto machine = FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return machine.status();
  const absl::StatusOr<RevisionViews::View> found =
      revisions->Find(snapshot.at((*machine)->name), request.profile_revision(), is_cancelled);
  if (!found.ok()) return found.status();
  const advise::MachineView& view = **found;
  learn::Accuracy::Question question;
  question.library = request.library();
  question.collective = request.collective();
  question.by_size = request.by_size();
  question.by_library = request.by_library();
  const absl::StatusOr<std::vector<learn::AccuracyRow>> rows =
      view.accuracy->Rows(question, is_cancelled);
  if (!rows.ok()) return rows.status();
  for (const learn::AccuracyRow& row : *rows) {
    FromRow(row, *view.accuracy, response->add_rows());
  }
  if (response->rows_size() == 0 && !request.collective().empty()) {
    // No observations: check that the name is a collective.
    if (const auto known = domain::ParseCollective(request.collective()); !known.ok()) {
      return known.status();
    }
  }
  for (const learn::UnpricedModel& unpriced : view.accuracy->unpriced()) {
    v1::UnpricedModel* message = response->add_unpriced_models();
    message->set_model(std::string(unpriced.model->id()));
    message->set_reason(unpriced.reason);
  }
  if (view.model != nullptr) response->set_model(std::string(view.model->id()));
  response->set_unstructured_cell_count(view.accuracy->unstructured_count());
  response->set_profile_revision(view.revision);
  return absl::OkStatus();
}

}  // namespace cox::service
