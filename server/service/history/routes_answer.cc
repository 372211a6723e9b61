#include "service/history/routes_answer.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "advise/candidates.h"
#include "advise/routes/grain.h"
#include "advise/routes/route_advice.h"
#include "advise/routes/sketch_messages.h"
#include "daemon/learning/guard_watch.h"
#include "domain/pattern/sketch.h"
#include "domain/sharing/caller_watch.h"
#include "service/answers/find_machine.h"
#include "service/answers/question.h"
#include "service/convert/placement.h"

namespace cox::service {
namespace {

constexpr size_t kMostSketchedPatterns = 32;
// An answer prices patterns with at most so many listed messages: a few seconds of work.
constexpr double kMostPricedMessages = 3e6;

// The sketches of one key, of all jobs.
struct OfAllJobs {
  domain::PatternSketch sketch;
  std::set<std::string> jobs;
};

std::vector<OfAllJobs> SumUp(const std::vector<store::SketchRecord>& records,
                             const VisibleNames& visible) {
  std::map<domain::PatternKey, OfAllJobs> sums;
  for (const store::SketchRecord& record : records) {
    if (!visible.ShowsJob(record.job)) continue;
    const auto [place, is_new] = sums.try_emplace(record.sketch.key);
    if (is_new) {
      place->second.sketch = record.sketch;
    } else {
      domain::Add(record.sketch, place->second.sketch);
    }
    place->second.jobs.insert(daemon::WholeJob(record.job));
  }
  std::vector<OfAllJobs> all;
  all.reserve(sums.size());
  for (auto& [key, sum] : sums) all.push_back(std::move(sum));
  std::stable_sort(all.begin(), all.end(), [](const OfAllJobs& a, const OfAllJobs& b) {
    return a.sketch.phase_count > b.sketch.phase_count;
  });
  if (all.size() > kMostSketchedPatterns) all.resize(kMostSketchedPatterns);
  return all;
}

double ShareOf(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

void Describe(const OfAllJobs& sum, v1::SketchedPattern* out) {
  const domain::PatternSketch& sketch = sum.sketch;
  out->set_application(sketch.key.application);
  out->set_kind(domain::kPatternKindNames[static_cast<size_t>(sketch.key.kind)]);
  out->set_nodes(sketch.key.nodes);
  out->set_ppn(sketch.key.ppn);
  out->set_ranks(sketch.key.ranks);
  out->set_job_count(static_cast<int64_t>(sum.jobs.size()));
  out->set_phase_count(ShareOf(sketch.phase_count, sketch.key.ranks));
  out->set_repeat_ratio(ShareOf(sketch.repeat_count, sketch.sampled_count));
  const advise::SketchMeans means = advise::MeansOf(sketch);
  out->set_mean_destination_count(means.destinations);
  out->set_mean_message_count(means.messages);
  out->set_mean_bytes(means.bytes);
  if (sketch.timed_count == 0) return;
  out->set_phase_time_s(sketch.inside_s / static_cast<double>(sketch.timed_count));
  out->set_work_time_s(sketch.between_s / static_cast<double>(sketch.timed_count));
}

void Advise(const advise::MachineView& machine, const v1::RecommendRoutesRequest& request,
            const domain::PatternSketch& sketch, v1::SketchedPattern* out) {
  advise::RouteQuestion question;
  question.sketch = &sketch;
  question.objective = request.objective() == v1::OBJECTIVE_PROCESSOR_TIME
                           ? advise::Objective::kProcessor
                           : advise::Objective::kCompletion;
  question.model = request.model();
  question.placement = ToPlacement(request.placement());
  const absl::StatusOr<advise::RouteAdvice> advice = advise::AdviseRoute(machine, question);
  if (!advice.ok()) {
    out->set_reason(std::string(advice.status().message()));
    return;
  }
  for (const advise::Prediction& prediction : advice->predictions) {
    FromPrediction(prediction, out->add_predictions());
  }
  out->set_route(advice->route);
  out->set_reason(advice->reason);
  for (const advise::Grain& grain : advice->grains) {
    v1::BlockCount* const blocks = out->add_blocks();
    blocks->set_block_count(grain.block_count);
    blocks->set_phase_time_s(grain.phase_s);
    blocks->set_communication_time_s(grain.communication_s);
    blocks->set_hidden_ratio(grain.hidden_share);
  }
  if (!advice->grains.empty()) {
    out->set_best_block_count(advise::BestGrain(advice->grains).block_count);
  }
}

}  // namespace

absl::Status AnswerRoutes(const daemon::Snapshot& snapshot, store::Store& store,
                          const VisibleNames& visible, const v1::RecommendRoutesRequest& request,
                          const store::IsCancelled& is_cancelled,
                          v1::RecommendRoutesResponse* response) {
  const absl::StatusOr<const advise::MachineView*> machine =
      FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return machine.status();
  if (!request.model().empty()) {
    const auto model = advise::ModelFor(**machine, request.model());
    if (!model.ok()) return model.status();
  }
  const auto records = store.ListSketches((*machine)->name, request.application());
  if (!records.ok()) return records.status();
  const std::vector<OfAllJobs> sums = SumUp(*records, visible);
  if (sums.empty() && !request.application().empty()) {
    return absl::NotFoundError(absl::StrCat("application: no job of \"", request.application(),
                                            "\" has reported messages on ", (*machine)->name,
                                            "; run it under the agent (COX_APPLICATION names it)"));
  }
  double priced_messages = 0;
  for (const OfAllJobs& sum : sums) {
    if (is_cancelled()) return domain::CallerGone();
    v1::SketchedPattern* const out = response->add_patterns();
    Describe(sum, out);
    const double messages = advise::PhaseMessages(sum.sketch);
    if (messages <= static_cast<double>(advise::kMostSketchMessages)) {
      if (priced_messages + messages > kMostPricedMessages) {
        out->set_reason(
            "not priced: with the patterns before it has too many messages for one answer; ask for "
            "its application alone");
        continue;
      }
      priced_messages += messages;
    }
    Advise(**machine, request, sum.sketch, out);
  }
  response->set_profile_revision((*machine)->revision);
  return absl::OkStatus();
}

}  // namespace cox::service
