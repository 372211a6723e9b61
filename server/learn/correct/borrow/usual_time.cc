#include "learn/correct/borrow/usual_time.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "domain/collective.h"
#include "domain/parse_collective.h"

namespace cox::learn {
namespace {

// Machines differ by about this much from the usual latency and byte time, in the logarithm.
constexpr double kPriorSigma = 1.5;
// Algorithms differ by about this much from the usual time.
constexpr double kScatter = 0.7;
constexpr int kUsualTimeRounds = 12;

struct Work {
  double steps;
  double bytes;
};

Work WorkOf(absl::string_view collective, const Point& point) {
  const auto parsed = domain::ParseCollective(collective);
  const bool is_one_vector = !parsed.ok() || domain::IsOneVector(*parsed);
  return {std::max(std::log2(point.ranks), 0.5),
          is_one_vector ? point.block_bytes : point.block_bytes * point.ranks};
}

}  // namespace

UsualTime::UsualTime(absl::Span<const PreparedCell> cells) {
  const double prior_log_latency = std::log(latency_s_);
  const double prior_log_byte = std::log(byte_s_);
  std::vector<std::pair<Work, double>> samples;
  samples.reserve(cells.size());
  for (const PreparedCell& prepared : cells) {
    if (prepared.point.ranks < 2) continue;
    samples.emplace_back(WorkOf(prepared.cell->collective, prepared.point),
                         prepared.cell->mean_log_time);
  }
  double log_latency = prior_log_latency;
  double log_byte = prior_log_byte;
  // Gauss-Newton on the two logarithms, with Huber's weights.
  for (int round = 0; round < kUsualTimeRounds; ++round) {
    const double prior = 1 / (kPriorSigma * kPriorSigma);
    double a = prior;
    double b = prior;
    double mixed = 0;
    double to_latency = prior * (prior_log_latency - log_latency);
    double to_byte = prior * (prior_log_byte - log_byte);
    for (const auto& [work, log_time] : samples) {
      const double latency_s = std::exp(log_latency) * work.steps;
      const double bytes_s = std::exp(log_byte) * work.bytes;
      const double share = latency_s / (latency_s + bytes_s);
      const double error = (log_time - std::log(latency_s + bytes_s)) / kScatter;
      const double weight = std::min(1.0, 1.5 / std::abs(error)) / (kScatter * kScatter);
      a += weight * share * share;
      b += weight * (1 - share) * (1 - share);
      mixed += weight * share * (1 - share);
      to_latency += weight * share * error * kScatter;
      to_byte += weight * (1 - share) * error * kScatter;
    }
    const double determinant = a * b - mixed * mixed;
    log_latency += std::clamp((b * to_latency - mixed * to_byte) / determinant, -2.0, 2.0);
    log_byte += std::clamp((a * to_byte - mixed * to_latency) / determinant, -2.0, 2.0);
  }
  latency_s_ = std::exp(log_latency);
  byte_s_ = std::exp(log_byte);
}

double UsualTime::At(absl::string_view collective, const Point& point) const {
  const Work work = WorkOf(collective, point);
  return latency_s_ * work.steps + byte_s_ * work.bytes;
}

}  // namespace cox::learn
