// Open MPI 4.1's dynamic rules file: reading it exactly as coll/tuned does, and which rule a call
// meets.
#ifndef COX_LIBRARY_OPENMPI_RULES_H_
#define COX_LIBRARY_OPENMPI_RULES_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/collective.h"
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

// What the library compares MSG_SIZE with.
enum class OpenMpiRuleSize {
  kNever,         // it looks at no rule
  kZero,          // always 0
  kBlock,         // block_bytes
  kBlockOfAll,    // block_bytes * ranks
  kElementOfAll,  // one element's size * ranks: it leaves the count out
};

// The file's collective id (-1: no such name in the library) and its kind of size (ids as above).
int64_t OpenMpiCollectiveId(absl::string_view name);
int64_t OpenMpiCollectiveId(domain::Collective collective);
OpenMpiRuleSize OpenMpiRuleSizeOf(int64_t collective_id);
// The name behind an id of a file that was parsed.
absl::string_view OpenMpiCollectiveName(int64_t collective_id);
// What MSG_SIZE is compared with for a call of block_bytes with elements of type_bytes on `ranks`
// ranks; in a double, because the product may not fit 64 bits.
double OpenMpiMessageBytes(int64_t collective_id, int64_t ranks, int64_t block_bytes,
                           int64_t type_bytes);
// The same where the element is not known: of scan and exscan 0, no size tells their rows apart.
double OpenMpiMessageBytes(domain::Collective collective, int64_t ranks, int64_t block_bytes);

// Why a rules file cannot have two rows by size for this collective; "" where it can.
absl::string_view WhyOneOpenMpiRow(domain::Collective collective);

}  // namespace cox::library

#endif  // COX_LIBRARY_OPENMPI_RULES_H_
