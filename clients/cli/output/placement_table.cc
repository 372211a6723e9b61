#include "cli/output/placement_table.h"

#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/output/prediction_sheet.h"
#include "console/printable.h"
#include "console/table.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

const v1::Prediction* Find(const v1::PredictResponse& response, const v1::Prediction& like) {
  for (const v1::Prediction& prediction : response.predictions()) {
    if (prediction.strategy() == like.strategy() && prediction.model() == like.model()) {
      return &prediction;
    }
  }
  return nullptr;
}

}  // namespace

std::string NodesText(const v1::NodesInUse& nodes) {
  return absl::StrFormat("%s at %s, %.3g links between two nodes, %.3g between halves",
                         domain::Counted(nodes.node_count(), "node"),
                         domain::Counted(nodes.switch_count(), "switch", "switches"),
                         nodes.mean_distance_count(), nodes.bisection_link_count());
}

void PlacementTable::Print(std::ostream& out) const {
  if (responses_.empty()) return;
  std::vector<console::Table::Column> columns = {
      {"STRATEGY", console::Align::kLeft, console::Fit::kFold}, {"MODEL"}};
  std::set<std::string> notes;
  for (size_t i = 0; i < lists_.size(); ++i) {
    out << '(' << i + 1 << ") " << console::Printable(lists_[i]) << ": "
        << NodesText(responses_[i].nodes_in_use()) << '\n';
    columns.push_back({absl::StrCat("(", i + 1, ")"), console::Align::kRight});
    notes.insert(responses_[i].caveats().begin(), responses_[i].caveats().end());
  }
  columns.push_back({absl::StrCat("(", lists_.size(), ") / (1)"), console::Align::kRight});
  console::Table table(std::move(columns));
  for (const v1::Prediction& first : responses_.front().predictions()) {
    std::vector<std::string> row = {first.strategy(), first.model()};
    double last = 0;
    for (const v1::PredictResponse& response : responses_) {
      const v1::Prediction* const here = Find(response, first);
      row.push_back(here == nullptr ? "-" : AmountText(*here));
      last = here == nullptr ? 0 : AmountOf(*here);
      if (here != nullptr && !here->caveat().empty()) {
        notes.insert(absl::StrCat(here->strategy(), ", ", here->model(), ": ", here->caveat()));
      }
    }
    const double base = AmountOf(first);
    row.push_back(base > 0 && last > 0 ? absl::StrFormat("%.3g", last / base) : "-");
    table.Add(row);
  }
  out << '\n';
  table.Print(out);
  for (const std::string& note : notes) out << "note: " << console::Printable(note) << '\n';
}

}  // namespace cox::cli
