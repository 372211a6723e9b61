#include "cli/output/route_sheet.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/output/prediction_sheet.h"
#include "console/printable.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/limits.h"
#include "domain/words/counted.h"

namespace cox::cli {
namespace {

std::string ShareText(double share) { return absl::StrFormat("%.0f %%", 100 * share); }

void PrintWhatIsSent(const v1::SketchedPattern& pattern, std::ostream& out) {
  out << absl::StrFormat(
      "%s, %s among %s (%s, %s per node)\n"
      "  %s, %.0f phases, %s of them repeat\n"
      "  a rank sends %.3g messages to %.3g ranks in a phase, %s\n",
      console::Printable(pattern.application()), console::Printable(pattern.kind()),
      domain::Counted(pattern.ranks(), "rank"), domain::Counted(pattern.nodes(), "node"),
      domain::Counted(pattern.ppn(), "rank"), domain::Counted(pattern.job_count(), "job"),
      pattern.phase_count(), ShareText(pattern.repeat_ratio()), pattern.mean_message_count(),
      pattern.mean_destination_count(),
      console::FormatBytes(std::llround(
          std::min(pattern.mean_bytes(), static_cast<double>(domain::kMaxBlockBytes)))));
  if (pattern.has_phase_time_s()) {
    out << absl::StrFormat("  in the jobs a phase takes %s, and the work before it %s\n",
                           console::FormatTime(pattern.phase_time_s()),
                           console::FormatTime(pattern.work_time_s()));
  }
}

void PrintPredictions(const v1::SketchedPattern& pattern, std::ostream& out) {
  console::Table table({{"ROUTE"},
                        {"TIME", console::Align::kRight},
                        {"PROCESSOR", console::Align::kRight},
                        {"MODEL"}});
  for (const v1::Prediction& prediction : pattern.predictions()) {
    const double cpu_s = prediction.cpu_time_s();
    table.Add({prediction.strategy(), AmountText(prediction),
               cpu_s > 0 ? console::FormatTime(cpu_s) : "-", prediction.model()});
  }
  table.Print(out);
  std::set<std::string> notes;
  for (const v1::Prediction& prediction : pattern.predictions()) {
    if (prediction.caveat().empty()) continue;
    notes.insert(absl::StrCat("note: ", prediction.model(), ": ", prediction.caveat()));
  }
  for (const std::string& note : notes) out << console::Printable(note) << '\n';
}

void PrintBlocks(const v1::SketchedPattern& pattern, std::ostream& out) {
  console::Table table({{"BLOCKS PER RANK", console::Align::kRight},
                        {"PHASE", console::Align::kRight},
                        {"COMMUNICATION", console::Align::kRight},
                        {"HIDDEN", console::Align::kRight}});
  for (const v1::BlockCount& blocks : pattern.blocks()) {
    table.Add({absl::StrCat(blocks.block_count()), console::FormatTime(blocks.phase_time_s()),
               console::FormatTime(blocks.communication_time_s()),
               ShareText(blocks.hidden_ratio())});
  }
  table.Print(out);
  out << "best: " << domain::Counted(pattern.best_block_count(), "block") << " per rank\n";
}

}  // namespace

void PrintRoutes(const v1::RecommendRoutesResponse& response, std::ostream& out) {
  if (response.patterns().empty()) {
    out << "no job has reported messages on this machine\n";
  }
  const char* separator = "";
  for (const v1::SketchedPattern& pattern : response.patterns()) {
    out << separator;
    separator = "\n";
    PrintWhatIsSent(pattern, out);
    if (!pattern.predictions().empty()) PrintPredictions(pattern, out);
    out << (pattern.route().empty() ? "no answer" : console::Printable(pattern.route())) << ": "
        << console::Printable(pattern.reason()) << "\n";
    if (!pattern.blocks().empty()) PrintBlocks(pattern, out);
  }
}

}  // namespace cox::cli
