// What a reader of an answer must know of its foundations: the job is larger than the machine,
// nobody measured a level of communication that the job uses, or a price leaves timings out. Pure;
// any thread.
#ifndef COX_ADVISE_CAVEATS_H_
#define COX_ADVISE_CAVEATS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advise/machine_view.h"
#include "library/decision_table.h"

namespace cox::advise {

// Of an answer without the time of links, although it knows the nodes (Weighing::Run()).
inline constexpr absl::string_view kLinksLeftOut =
    "times leave out the links between the job's switches: some algorithm sends too many messages "
    "to list; `cox predict --node-list` shows a guess for each";

struct JobShape {
  int64_t nodes = 0;  // 0: as many as ranks and ppn need
  int64_t ppn = 1;
  int64_t ranks = 1;

  int64_t node_count() const { return nodes > 0 ? nodes : (ranks - 1) / ppn + 1; }
};

// Levels at which the selected model has values that were only copied from another level, unless a
// cell of that level was timed. For a model without levels: levels at which all models with levels
// have only copied values. None without a selected model.
Levels AssumedLevels(const MachineView& machine);

// Whether the job communicates at an assumed level. Predictions then show no gain of a switch.
bool RestsOnAssumptions(const MachineView& machine, const JobShape& job);

// Whether one reporter alone timed the algorithm near this call of the job
// (learn::Reporters::IsOneAt).
bool IsOneReporters(const learn::AlgorithmTimings& timings, const JobShape& job,
                    int64_t block_bytes);

// What a tuning text rests on: a sentence if rows of it rest on one reporter alone, and one if rows
// leave links out.
std::vector<std::string> CaveatsOf(const MachineView& machine, const library::TunedJob& job,
                                   absl::Span<const library::DecisionTable> tables);

// A sentence each; usually none. The shape is valid.
std::vector<std::string> CaveatsOf(const MachineView& machine, const JobShape& job);

// The same for traffic that is priced at the levels `used`, wherever the ranks of the job are.
std::vector<std::string> CaveatsOf(const MachineView& machine, const JobShape& job,
                                   const Levels& used);

// What a model's price of a collective leaves out: the sentence, if the machine has timings of the
// collective.
std::optional<std::string> CaveatOfPrice(const MachineView& machine, absl::string_view collective);

}  // namespace cox::advise

#endif  // COX_ADVISE_CAVEATS_H_
