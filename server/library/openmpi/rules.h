// Open MPI 4.1's dynamic rules file: reads it exactly as coll/tuned does, and finds the rule for a
// call. Pure, any thread.
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
  int64_t algorithm = 0;      // 0: the library's own choice
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
  int64_t number_count = 0;  // numbers of the text that the library reads

  // The rule for a call of `message_bytes` (library's unit) on `ranks` ranks; nullopt where the
  // file has none or leaves the choice to the library (algorithm 0).
  std::optional<OpenMpiRule> Find(int64_t collective_id, int64_t ranks,
                                  int64_t message_bytes) const;
};

// The first bytes of a file for later releases (4.1.8; 5.0.7 and its successors). Its rows may have
// a fifth number, the most requests at once. Earlier releases ignore such a file.
inline constexpr absl::string_view kRuleFileVersion2 = "rule-file-version-2";
enum class RuleFileVersions { kFirstOnly, kBoth };

// INVALID_ARGUMENT (with the line) where the library ignores the complete file.
absl::StatusOr<OpenMpiRules> ParseOpenMpiRules(
    absl::string_view text, RuleFileVersions versions = RuleFileVersions::kFirstOnly);

// The size that the library compares with MSG_SIZE.
enum class OpenMpiRuleSize {
  kNever,         // it reads no rule
  kZero,          // always 0
  kBlock,         // block_bytes
  kBlockOfAll,    // block_bytes * ranks
  kElementOfAll,  // one element's size * ranks, without the count
};

// A collective's id in the file (-1: the library has no such name) and its kind of size.
int64_t OpenMpiCollectiveId(absl::string_view name);
int64_t OpenMpiCollectiveId(domain::Collective collective);
OpenMpiRuleSize OpenMpiRuleSizeOf(int64_t collective_id);
// The name of an id in a parsed file.
absl::string_view OpenMpiCollectiveName(int64_t collective_id);
// The size that the library compares for a call of block_bytes with elements of type_bytes on
// `ranks` ranks. A double, because the product may not fit 64 bits.
double OpenMpiMessageBytes(int64_t collective_id, int64_t ranks, int64_t block_bytes,
                           int64_t type_bytes);
// The same without the element's size: 0 for scan and exscan, whose rows no size distinguishes.
double OpenMpiMessageBytes(domain::Collective collective, int64_t ranks, int64_t block_bytes);

// Why a rules file cannot have several rows by size for this collective; "" where it can.
absl::string_view WhyOneOpenMpiRow(domain::Collective collective);

}  // namespace cox::library

#endif  // COX_LIBRARY_OPENMPI_RULES_H_
