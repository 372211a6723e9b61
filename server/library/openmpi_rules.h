// Open MPI 4.1's dynamic rules file: reading it exactly as coll/tuned does, and which rule a call
// meets.
#ifndef COX_LIBRARY_OPENMPI_RULES_H_
#define COX_LIBRARY_OPENMPI_RULES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "strategy/scenario.h"

namespace cox::library {

struct OpenMpiRule {
  int64_t message_bytes = 0;  // in the library's unit for that collective; see OpenMpiMessageBytes
  int64_t algorithm = 0;      // 0: no opinion
  int64_t fanout = 0;
  int64_t segment_bytes = 0;
};
struct OpenMpiRuleSet {
  int64_t comm_size = 0;
  std::vector<OpenMpiRule> rules;
};
struct OpenMpiCollectiveRules {
  int64_t collective_id = 0;  // 0 allgather, 2 allreduce, 3 alltoall, 7 bcast, ...
  std::vector<OpenMpiRuleSet> sets;
};
struct OpenMpiRules {
  std::vector<OpenMpiCollectiveRules> collectives;
  int64_t number_count = 0;  // how many numbers of the text the library reads

  // The rule that a call of `message_bytes` (library's unit) on `ranks` ranks meets; nullopt when
  // the file says nothing or "no opinion" (algorithm 0).
  std::optional<OpenMpiRule> Find(int64_t collective_id, int64_t ranks,
                                  int64_t message_bytes) const;
};

// What later releases (4.1.8; 5.0.7 and its successors) take as a file's first bytes; rows then may
// have a fifth number, the most requests at once. Earlier ones drop such a file.
inline constexpr absl::string_view kRuleFileVersion2 = "rule-file-version-2";
enum class RuleFileVersions { kFirstOnly, kBoth };

// INVALID_ARGUMENT (with line) for anything that makes the library drop the complete file.
absl::StatusOr<OpenMpiRules> ParseOpenMpiRules(
    absl::string_view text, RuleFileVersions versions = RuleFileVersions::kFirstOnly);

// The file's collective id, and what the library compares MSG_SIZE with for a call of block_bytes
// on `ranks` ranks (a collective of one vector: block_bytes; the others: block_bytes * ranks). Not
// of scan and exscan, where the library leaves the count out: no size tells their rows apart.
int64_t OpenMpiCollectiveId(strategy::Collective collective);
// The name behind an id of a file that was parsed.
absl::string_view OpenMpiCollectiveName(int64_t collective_id);
double OpenMpiMessageBytes(strategy::Collective collective, int64_t ranks, int64_t block_bytes);

// Why a rules file cannot have two rows by size for this collective; "" where it can.
absl::string_view WhyOneOpenMpiRow(strategy::Collective collective);

}  // namespace cox::library

#endif  // COX_LIBRARY_OPENMPI_RULES_H_
