#include "service/convert/sketch.h"

#include <cmath>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "service/convert/checks.h"
#include "service/names.h"

namespace cox::service {
namespace {

constexpr size_t kMaxApplicationBytes = 64;
// Of phases, and of their messages.
constexpr int64_t kMaxCount = int64_t{1} << 48;
constexpr double kMaxAmount = 1e24;  // bytes or seconds

using Counts = google::protobuf::RepeatedField<int64_t>;

absl::Status ReadCounts(absl::string_view field, const Counts& counts, domain::PatternCounts* out) {
  if (counts.size() > domain::kPatternClasses) {
    return domain::InvalidField(field, absl::StrCat("at most ", domain::kPatternClasses,
                                                    " classes; there are ", counts.size()));
  }
  for (int i = 0; i < counts.size(); ++i) {
    absl::Status valid = InRange(absl::StrCat(field, "[", i, "]"), counts[i], 0, kMaxCount);
    if (!valid.ok()) return valid;
    (*out)[static_cast<size_t>(i)] = counts[i];
  }
  return absl::OkStatus();
}

absl::Status Amount(absl::string_view field, double value) {
  if (std::isfinite(value) && value >= 0 && value <= kMaxAmount) return absl::OkStatus();
  return domain::InvalidField(field, absl::StrCat("must be in 0..", kMaxAmount));
}

}  // namespace

absl::StatusOr<domain::PatternSketch> ToSketch(const v1::PatternSketch& message) {
  const absl::StatusOr<absl::string_view> machine = ParseMachine(message.machine(), "machine");
  if (!machine.ok()) return machine.status();
  const std::optional<domain::PatternKind> kind = domain::ParsePatternKind(message.kind());
  if (!kind.has_value()) {
    return domain::InvalidField("kind", "must be alltoallv, neighbour or messages");
  }
  domain::PatternSketch sketch;
  sketch.key = {.machine = std::string(*machine),
                .application = message.application(),
                .kind = *kind,
                .nodes = message.nodes(),
                .ppn = message.ppn(),
                .ranks = message.ranks()};
  sketch.phase_count = message.phase_count();
  sketch.sampled_count = message.sampled_count();
  sketch.repeat_count = message.repeat_count();
  sketch.total_bytes = message.total_bytes();
  sketch.timed_count = message.timed_count();
  sketch.inside_s = message.inside_s();
  sketch.between_s = message.between_s();
  absl::Status valid = FirstOf({
      Text("application", sketch.key.application, kMaxApplicationBytes, true),
      InRange("nodes", sketch.key.nodes, 1, domain::kMaxRanks),
      InRange("ppn", sketch.key.ppn, 1, domain::kMaxRanks),
      InRange("ranks", sketch.key.ranks, 1, domain::kMaxRanks),
      InRange("phase_count", sketch.phase_count, 1, kMaxCount),
      // A phase may have been counted in the report before.
      InRange("sampled_count", sketch.sampled_count, 0, kMaxCount),
      InRange("repeat_count", sketch.repeat_count, 0, sketch.sampled_count),
      InRange("timed_count", sketch.timed_count, 0, sketch.phase_count),
      Amount("total_bytes", sketch.total_bytes),
      Amount("inside_s", sketch.inside_s),
      Amount("between_s", sketch.between_s),
      ReadCounts("destination_counts", message.destination_counts(), &sketch.destination_counts),
      ReadCounts("size_counts", message.size_counts(), &sketch.size_counts),
      ReadCounts("distance_counts", message.distance_counts(), &sketch.distance_counts),
  });
  if (!valid.ok()) return valid;
  if ((sketch.key.ranks - 1) / sketch.key.ppn >= sketch.key.nodes) {
    return domain::InvalidField(
        "ranks", absl::StrCat("must be at most nodes * ppn; it is ", sketch.key.ranks));
  }
  if (domain::TotalOf(sketch.destination_counts) > sketch.sampled_count) {
    return domain::InvalidField("destination_counts", "has more phases than sampled_count");
  }
  if (domain::LeastSumOf(sketch.destination_counts) >
      static_cast<double>(domain::TotalOf(sketch.distance_counts))) {
    return domain::InvalidField("distance_counts",
                                "has fewer destinations than destination_counts");
  }
  if (domain::TotalOf(sketch.size_counts) < domain::TotalOf(sketch.distance_counts)) {
    return domain::InvalidField("size_counts", "has fewer messages than destinations");
  }
  return sketch;
}

}  // namespace cox::service
