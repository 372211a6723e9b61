#include "model/analysis/block_inference.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"

namespace cox::model {
namespace {

absl::Status CheckAmount(const std::string& field, double value) {
  if (std::isfinite(value) && value >= 0) return absl::OkStatus();
  return domain::InvalidField(field, absl::StrCat(value, " is not a finite number >= 0"));
}

// Samples of growing n, from `least` on, with sound values.
absl::Status CheckSamples(absl::string_view field, absl::Span<const LimitSample> samples,
                          int64_t least) {
  int64_t last = least - 1;
  for (size_t i = 0; i < samples.size(); ++i) {
    const std::string prefix = absl::StrCat(field, "[", i, "].");
    if (samples[i].n <= last) {
      return domain::InvalidField(prefix + "n", absl::StrCat(samples[i].n, " is not above ", last));
    }
    last = samples[i].n;
    absl::Status status = CheckAmount(prefix + "a_s", samples[i].a_s.value_or(0));
    if (status.ok()) {
      status = CheckAmount(prefix + "b_s_per_byte", samples[i].b_s_per_byte.value_or(0));
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

struct Estimate {
  double value = 0;
  int64_t n = 0;
  bool stopped = false;  // by the rule
};

// Walks growing n until an estimate changes by less than the stopping rule's share of the estimate
// before. If none does, returns the last one. Skips samples for which `estimate_of` has no value;
// does not stop at those that cannot show the parameter.
template <typename EstimateOf, typename Shows>
absl::optional<Estimate> Settle(absl::Span<const LimitSample> samples, EstimateOf estimate_of,
                                Shows shows) {
  absl::optional<Estimate> settled;
  for (const LimitSample& sample : samples) {
    const absl::optional<double> value = estimate_of(sample);
    if (!value.has_value()) continue;
    const bool stops =
        settled.has_value() && shows(sample) &&
        std::abs(*value - settled->value) <= kStoppingChange * std::abs(settled->value);
    settled = Estimate{*value, sample.n, stops};
    if (stops) break;
  }
  return settled;
}

// The slope of A(n) over n by least squares; none for fewer than two samples, nor if A grows by
// less than the stopping rule's share: then it is the same to the accuracy of a measurement.
absl::optional<double> SlopeOfA(absl::Span<const LimitSample> samples) {
  double count = 0, sum_n = 0, sum_a = 0, sum_nn = 0, sum_na = 0;
  for (const LimitSample& sample : samples) {
    if (!sample.a_s.has_value()) continue;
    const auto n = static_cast<double>(sample.n);
    count += 1;
    sum_n += n;
    sum_a += *sample.a_s;
    sum_nn += n * n;
    sum_na += n * *sample.a_s;
  }
  if (count < 2) return {};
  const double slope = (count * sum_na - sum_n * sum_a) / (count * sum_nn - sum_n * sum_n);
  const auto span = static_cast<double>(samples.back().n - samples.front().n);
  if (slope * span <= kStoppingChange * sum_a / count) return {};
  return slope;
}

// Adds a_c and a_p if A grows with n (then a_c is known), otherwise only their sum.
void AddStartups(const std::string& sum_name, double sum, absl::optional<double> a_c,
                 double processors, double networks, Inference* inference) {
  const double a_p = a_c.has_value() ? (sum - networks * *a_c) / processors : -1;
  if (!a_c.has_value() || *a_c <= 0 || a_p < 0) {
    inference->parameters.push_back({sum_name, sum, Relation::kSumOnly});
    return;
  }
  inference->parameters.push_back({"a_c", *a_c, Relation::kEqual});
  inference->parameters.push_back({"a_p", a_p, Relation::kEqual});
}

double MedianSeconds(absl::Span<const PatternSeconds> sorted) {
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[half].time_s
                                : (sorted[half - 1].time_s + sorted[half].time_s) / 2;
}

double PerMessage(double limit, int64_t n) {
  const auto stations = static_cast<double>(n);
  return limit / (stations * (stations - 1));
}

absl::optional<double> WireStartup(const LimitSample& sample, double half_round_trip_s,
                                   SharedMediumEstimator estimator) {
  if (!sample.a_s.has_value()) return {};
  if (estimator == SharedMediumEstimator::kPaper) return PerMessage(*sample.a_s, sample.n);
  if (sample.n < 3) return {};
  const auto n = static_cast<double>(sample.n);
  return (*sample.a_s - 2 * (n - 1) * half_round_trip_s) / ((n - 1) * (n - 2));
}

// Adds b_c from the largest n >= 3, and b_w from the round trip.
absl::Status AddByteTimes(double round_trip_b, absl::Span<const LimitSample> samples,
                          Inference* inference) {
  const LimitSample* last = nullptr;
  for (const LimitSample& sample : samples) {
    if (sample.n >= 3 && sample.b_s_per_byte.has_value()) last = &sample;
  }
  if (last == nullptr) return domain::InvalidField("all_to_all", "no B(n) among three or more");
  const double b_c = PerMessage(*last->b_s_per_byte, last->n);
  const bool sees_workstation = round_trip_b > b_c;
  // The workstations' part of the limit. If it is as large as the wire's, the wire is hidden.
  const double ends = 2 * round_trip_b / static_cast<double>(last->n);
  const bool wire_hidden = sees_workstation && ends * (1 + kStoppingChange) >= b_c;
  inference->parameters.push_back(
      {"b_c", b_c, wire_hidden ? Relation::kUpperBound : Relation::kEqual});
  inference->parameters.push_back(
      {"b_w", round_trip_b, sees_workstation ? Relation::kEqual : Relation::kUpperBound});
  return absl::OkStatus();
}

absl::Status CheckAcross(absl::Span<const LimitSample> across, int64_t channels) {
  if (channels < 1) {
    return domain::InvalidField("channels", absl::StrCat(channels, " is less than 1"));
  }
  return CheckSamples("across", across, 1);
}

double LargestB(absl::Span<const LimitSample> samples) {
  double largest = -1;
  for (const LimitSample& sample : samples) {
    largest = std::max(largest, sample.b_s_per_byte.value_or(-1));
  }
  return largest;
}

// Adds b_l and b_p from the time per byte of pairs inside a frame and across two frames.
void AddChannelTimes(double inside_b, absl::Span<const LimitSample> across, int64_t channels,
                     Inference* inference) {
  absl::optional<double> b_l;
  for (const LimitSample& sample : across) {
    // Fewer pairs leave channels idle.
    if (sample.n < channels || sample.b_s_per_byte.value_or(-1) <= inside_b) continue;
    b_l = *sample.b_s_per_byte * static_cast<double>(channels) / static_cast<double>(sample.n);
  }
  if (!b_l.has_value()) {
    inference->parameters.push_back({"b_l", inside_b, Relation::kUpperBound});
    inference->parameters.push_back({"b_p", inside_b, Relation::kUpperBound});
    return;
  }
  const bool processor_shows = inside_b > *b_l * (1 + kStoppingChange);
  // A slower channel across frames says nothing of those inside.
  const bool channel_hidden = *b_l > inside_b * (1 + kStoppingChange);
  inference->parameters.push_back({"b_l", processor_shows ? *b_l : inside_b,
                                   channel_hidden ? Relation::kUpperBound : Relation::kEqual});
  inference->parameters.push_back(
      {"b_p", inside_b, processor_shows ? Relation::kEqual : Relation::kUpperBound});
  inference->parameters.push_back({"b_l across frames", *b_l, Relation::kEqual});
}

}  // namespace

Block HalfRoundTrip(const MachineBlocks& blocks) {
  return {2 * blocks.processor.a_s + blocks.network.a_s,
          std::max(blocks.processor.b_s_per_byte, blocks.network.b_s_per_byte)};
}

Block AllToAllBlock(const MachineBlocks& blocks, int64_t n) {
  const auto others = static_cast<double>(n - 1);
  const double messages = static_cast<double>(n) * others;
  return {
      4 * others * blocks.processor.a_s + messages * blocks.network.a_s,
      std::max(2 * others * blocks.processor.b_s_per_byte, messages * blocks.network.b_s_per_byte)};
}

Block PairsBlock(NetworkKind kind, const MachineBlocks& blocks, int64_t n) {
  const auto pairs = static_cast<double>(n);
  const double passes = kind == NetworkKind::kMeshRow ? 2 * pairs : pairs;
  return {2 * blocks.processor.a_s + passes * blocks.network.a_s,
          std::max(blocks.processor.b_s_per_byte, pairs * blocks.network.b_s_per_byte)};
}

absl::StatusOr<Block> NeighbourExchange(NetworkKind kind, const MachineBlocks& blocks, int64_t n) {
  if (n < 2) return domain::InvalidField("n", absl::StrCat(n, " planes have no neighbours"));
  const auto ends = static_cast<double>(std::min<int64_t>(n, 4));  // sends and receives of the pair
  const double sides = n == 2 ? 1 : 2;
  double passes = 1;
  if (kind == NetworkKind::kSharedMedium) passes = static_cast<double>(n - 1);
  if (kind == NetworkKind::kMeshRow) passes = 2;
  return Block{
      ends * blocks.processor.a_s + passes * blocks.network.a_s,
      std::max(sides * blocks.processor.b_s_per_byte, passes * blocks.network.b_s_per_byte)};
}

absl::string_view RelationName(Relation relation) {
  constexpr absl::string_view kNames[] = {"equal", "upper bound", "sum"};
  return kNames[static_cast<size_t>(relation)];
}

const InferredParameter* Inference::Find(absl::string_view name) const {
  for (const InferredParameter& parameter : parameters) {
    if (parameter.name == name) return &parameter;
  }
  return nullptr;
}

std::vector<LimitSample> LimitsOf(std::vector<PatternSeconds> times) {
  std::sort(times.begin(), times.end(), [](const PatternSeconds& a, const PatternSeconds& b) {
    return std::tie(a.n, a.bytes, a.time_s) < std::tie(b.n, b.bytes, b.time_s);
  });
  std::vector<LimitSample> limits;
  for (size_t begin = 0; begin < times.size();) {
    size_t end = begin;
    const auto is_like_first = [&](size_t i) {
      return i < times.size() && times[i].n == times[begin].n &&
             times[i].bytes == times[begin].bytes;
    };
    while (is_like_first(end)) ++end;
    const double median_s = MedianSeconds(absl::MakeConstSpan(times).subspan(begin, end - begin));
    if (limits.empty() || limits.back().n != times[begin].n)
      limits.push_back({times[begin].n, {}, {}});
    LimitSample& limit = limits.back();
    const double bytes = times[begin].bytes;
    if (bytes <= kShortBytes && !limit.a_s.has_value()) limit.a_s = median_s;
    if (bytes >= kLongBytes) limit.b_s_per_byte = median_s / bytes;  // the longest comes last
    begin = end;
  }
  return limits;
}

absl::StatusOr<Inference> InferSharedMedium(const Block& half_round_trip,
                                            absl::Span<const LimitSample> all_to_all,
                                            SharedMediumEstimator estimator) {
  absl::Status status = CheckAmount("half_round_trip.a_s", half_round_trip.a_s);
  if (status.ok()) {
    status = CheckAmount("half_round_trip.b_s_per_byte", half_round_trip.b_s_per_byte);
  }
  if (status.ok()) status = CheckSamples("all_to_all", all_to_all, 2);
  if (!status.ok()) return status;
  const absl::optional<Estimate> a_c = Settle(
      all_to_all,
      [&](const LimitSample& sample) {
        return WireStartup(sample, half_round_trip.a_s, estimator);
      },
      [](const LimitSample&) { return true; });
  if (!a_c.has_value() || a_c->n < 3) {
    return domain::InvalidField("all_to_all", "no A(n) among three or more");
  }
  Inference inference;
  inference.stopped_at_n = a_c->stopped ? a_c->n : 0;
  const double a_w = (half_round_trip.a_s - a_c->value) / 2;
  if (a_w < 0) {
    return domain::InvalidField(
        "all_to_all",
        absl::StrCat("a wire of ", a_c->value, " leaves nothing of half a round trip of ",
                     half_round_trip.a_s));
  }
  const InferredParameter sum = {"2 a_w + a_c", half_round_trip.a_s, Relation::kSumOnly};
  if (a_c->value < 0) {
    inference.parameters.push_back(sum);
  } else if (estimator == SharedMediumEstimator::kPaper && !a_c->stopped) {
    inference.parameters.push_back({"a_c", a_c->value, Relation::kUpperBound});
    inference.parameters.push_back(sum);
  } else {
    inference.parameters.push_back({"a_c", a_c->value, Relation::kEqual});
    inference.parameters.push_back({"a_w", a_w, Relation::kEqual});
  }
  status = AddByteTimes(half_round_trip.b_s_per_byte, all_to_all, &inference);
  if (!status.ok()) return status;
  return inference;
}

absl::StatusOr<Inference> InferMultistage(double half_round_trip_s,
                                          absl::Span<const LimitSample> inside,
                                          absl::Span<const LimitSample> across, int64_t channels) {
  absl::Status status = CheckAmount("half_round_trip_s", half_round_trip_s);
  if (status.ok()) status = CheckSamples("inside", inside, 1);
  if (status.ok()) status = CheckAcross(across, channels);
  if (!status.ok()) return status;
  const double inside_b = LargestB(inside);
  if (inside_b < 0) return domain::InvalidField("inside", "no B(n) inside a frame");
  Inference inference;
  AddStartups("2 a_p + a_c", half_round_trip_s, SlopeOfA(inside), 2, 1, &inference);
  AddChannelTimes(inside_b, across, channels, &inference);
  return inference;
}

absl::StatusOr<Inference> InferMeshRow(absl::Span<const LimitSample> pairs) {
  absl::Status status = CheckSamples("pairs", pairs, 1);
  if (!status.ok()) return status;
  if (pairs.empty() || pairs[0].n != 1 || !pairs[0].a_s.has_value() ||
      !pairs[0].b_s_per_byte.has_value()) {
    return domain::InvalidField("pairs", "the first has to be A(1) and B(1)");
  }
  Inference inference;
  absl::optional<double> a_c = SlopeOfA(pairs);
  if (a_c.has_value()) *a_c /= 2;
  AddStartups("a_p + a_c", *pairs[0].a_s / 2, a_c, 1, 1, &inference);

  const double b_p = *pairs[0].b_s_per_byte;
  // Among many pairs B(n) / n settles also where the processor hides the network.
  const absl::optional<Estimate> b_c = Settle(
      pairs,
      [](const LimitSample& sample) -> absl::optional<double> {
        if (!sample.b_s_per_byte.has_value()) return {};
        return *sample.b_s_per_byte / static_cast<double>(sample.n);
      },
      [&](const LimitSample& sample) {
        return *sample.b_s_per_byte > b_p * (1 + kStoppingChange);
      });
  inference.stopped_at_n = b_c->stopped ? b_c->n : 0;
  inference.parameters.push_back(
      {"b_c", b_c->value, b_c->stopped ? Relation::kEqual : Relation::kUpperBound});
  inference.parameters.push_back(
      {"b_p", b_p, b_p > b_c->value ? Relation::kEqual : Relation::kUpperBound});
  return inference;
}

}  // namespace cox::model
