#include "service/convert/sample.h"

#include <algorithm>
#include <cstdint>

#include "domain/level.h"
#include "domain/limits.h"
#include "service/convert/checks.h"
#include "service/limits.h"
#include "strategy/scenario.h"

namespace cox::service {

absl::StatusOr<learn::Sample> ToSample(const v1::Sample& sample) {
  const absl::StatusOr<domain::Level> level = domain::ParseLevel(sample.level());
  if (!level.ok()) return level.status();
  if (absl::Status checked = FirstOf({
          Text("kind", sample.kind(), kMaxNameBytes, true),
          Text("pattern", sample.pattern(), kMaxNameBytes, false),
          InRange("pairs", sample.pairs(), 0, domain::kMaxRanks),
          InRange("block_bytes", sample.block_bytes(), 0, domain::kMaxBlockBytes),
          PositiveSeconds("time_s", sample.time_s()),
          InRange("ranks", sample.ranks(), 0, domain::kMaxRanks),
          InRange("messages", sample.messages(), 0, domain::kMaxRanks),
          InRange("senders", sample.senders(), 0, domain::kMaxRanks),
      });
      !checked.ok()) {
    return checked;
  }
  return learn::Sample{.kind = sample.kind(),
                       .level = *level,
                       .pattern = sample.pattern(),
                       .pairs = std::max<int64_t>(1, sample.pairs()),
                       .block_bytes = sample.block_bytes(),
                       .time_s = sample.time_s(),
                       .ranks = sample.ranks(),
                       .messages = sample.messages(),
                       .senders = sample.senders()};
}

}  // namespace cox::service
