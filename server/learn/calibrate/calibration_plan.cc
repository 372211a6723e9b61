#include "learn/calibrate/calibration_plan.h"

#include <algorithm>
#include <map>
#include <vector>

#include "domain/level.h"
#include "learn/calibrate/sample_kinds.h"
#include "model/models/models.h"

namespace cox::learn {
namespace {

constexpr double kAboutAsLong = 1.25;
constexpr int64_t kWordBytes = 4;

constexpr absl::string_view kPingPongs[] = {"pingpong"};
constexpr absl::string_view kTrains[] = {"pingpong", "gap"};
constexpr absl::string_view kSupersteps[] = {"h_relation", "barrier"};
constexpr absl::string_view kUnbalanced[] = {"h_relation", "scatter", "barrier"};
constexpr absl::string_view kWords[] = {"permutation", "converge"};
constexpr absl::string_view kPartial[] = {"permutation"};
constexpr absl::string_view kBlocks[] = {"block_permutation", "permutation"};
constexpr absl::string_view kUnits[] = {"pingpong", "block_permutation"};
constexpr absl::string_view kChannel[] = {"pingpong", "permutation", "block_permutation"};
constexpr absl::string_view kSwitch[] = {"pingpong", "gap", "converge"};

constexpr absl::string_view kChannelParameters[] = {"a_channel", "b_channel"};
constexpr absl::string_view kUnitTime[] = {"unit_time"};

constexpr DirectKind kOverheads[] = {{"overhead_send", "o", "", true}, {"notice", "o", "", true}};
constexpr DirectKind kClusterOverheads[] = {
    {"overhead_send", "O_s", "O_s_byte", false},
    {"overhead_recv", "O_r", "O_r_byte", false},
    {"notice", "U_r", "", true},
};

bool IsFull(const Sample& sample) {
  return sample.kind != "h_relation" || SendersOf(sample) == RanksOf(sample);
}
bool IsAWord(const Sample& sample) { return sample.block_bytes <= kWordBytes; }
// A permutation of all ranks, or of blocks: what BPRAM calls one.
bool IsComplete(const Sample& sample) {
  return sample.kind == "pingpong" || SendersOf(sample) == RanksOf(sample);
}

double MessageBytes(const Sample& sample) { return static_cast<double>(sample.block_bytes); }
double RelationBytes(const Sample& sample) {
  return static_cast<double>(sample.block_bytes) * static_cast<double>(sample.messages);
}

}  // namespace

absl::Span<const ModelPlan> CalibrationPlans() {
  using enum SizeChoice;
  static const ModelPlan kPlans[] = {
      {&model::Hockney(), kPingPongs, nullptr, {}, "", kNone, {}, MessageBytes},
      {&model::MaxRate(), kPingPongs, nullptr, {}, "", kNone, {}, nullptr},
      {&model::LogP(), kTrains, nullptr, kOverheads, "w", kSmallMessage, {}, nullptr},
      {&model::LogGp(), kTrains, nullptr, kOverheads, "", kNone, {}, nullptr},
      {&model::Postal(), kTrains, nullptr, {}, "packet", kBestFit, {}, nullptr},
      {&model::Bsp(), kSupersteps, IsFull, {}, "", kNone, {}, RelationBytes},
      {&model::EBsp(), kUnbalanced, nullptr, {}, "", kNone, {}, nullptr},
      {&model::MpBsp(), kWords, IsAWord, {}, "", kNone, {}, nullptr},
      {&model::MpEBsp(), kPartial, IsAWord, {}, "", kNone, {}, nullptr},
      {&model::Bpram(), kBlocks, IsComplete, {}, "", kNone, {}, nullptr},
      {&model::SinglePortBpram(), kBlocks, nullptr, {}, "", kNone, {}, nullptr},
      {&model::C3(), kUnits, nullptr, {}, "l", kBestFit, kUnitTime, nullptr},
      {&model::Hyperbolic(), kChannel, nullptr, {}, "", kNone, kChannelParameters, nullptr},
      {&model::Cluster(), kSwitch, nullptr, kClusterOverheads, "packet", kBestFit, {}, nullptr},
  };
  return kPlans;
}

bool HasLevel(const model::Model& model, domain::Level level) {
  const auto specs = model.parameters();
  return std::any_of(specs.begin(), specs.end(),
                     [&](const model::ParameterSpec& spec) { return spec.level == level; });
}

int IndexOf(const model::Model& model, domain::Level level, absl::string_view name) {
  const auto specs = model.parameters();
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].level == level && specs[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int64_t SmallMessageBytes(absl::Span<const Sample* const> samples) {
  std::map<int64_t, std::vector<double>> times_s;
  for (const Sample* sample : samples) {
    if (sample->kind == "pingpong" && sample->pairs == 1) {
      times_s[sample->block_bytes].push_back(sample->time_s);
    }
  }
  int64_t longest = 0;
  double shortest_s = 0;
  for (auto& [bytes, times] : times_s) {
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    const double median_s = times[times.size() / 2];
    if (shortest_s == 0) shortest_s = median_s;
    if (median_s > kAboutAsLong * shortest_s) break;
    longest = bytes;
  }
  return longest;
}

}  // namespace cox::learn
