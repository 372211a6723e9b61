#include "strategy/scenario.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "domain/words/counted.h"

namespace cox::strategy {
namespace {

absl::Status CheckRange(absl::string_view field, int64_t value, int64_t least, int64_t greatest,
                        absl::string_view remark = "") {
  if (value >= least && value <= greatest) return absl::OkStatus();
  return domain::InvalidField(
      field, absl::StrCat(value, " is not between ", least, " and ", greatest, remark));
}

}  // namespace

absl::Status Validate(const Scenario& scenario) {
  absl::Status status = CheckRange("ranks", scenario.ranks, 1, domain::kMaxRanks);
  if (status.ok()) status = CheckRange("ppn", scenario.ppn, 1, domain::kMaxRanks);
  if (status.ok())
    status = CheckRange("block_bytes", scenario.block_bytes, 0, domain::kMaxBlockBytes);
  if (status.ok())
    status = CheckRange("type_bytes", scenario.type_bytes, 1, domain::kMaxBlockBytes);
  if (status.ok()) {
    status = CheckRange("root", scenario.root, 0, scenario.ranks - 1,
                        absl::StrCat(" (with ", domain::Counted(scenario.ranks, "rank"), ")"));
  }
  return status;
}

}  // namespace cox::strategy
