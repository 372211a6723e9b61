#include "bench/pacer.h"

#include <algorithm>

namespace cox::bench {
namespace {

// Long enough that deciding whether to continue costs little compared to measuring.
constexpr double kBatchSeconds = 0.02;
constexpr int kLargestBatch = 200;

}  // namespace

Pacer::Pacer(double now_s, double budget_s, int cells)
    : start_s_(now_s),
      end_s_(now_s + budget_s),
      cell_start_s_(now_s),
      cell_end_s_(now_s),
      cells_(cells) {}

void Pacer::StartCell(double now_s) {
  const int remaining = std::max(1, cells_ - finished_);
  cell_start_s_ = now_s;
  cell_end_s_ = now_s + std::max(0.0, end_s_ - now_s) / remaining;
}

int Pacer::NextBatch(double now_s, const std::vector<double>& times_s) const {
  const int count = static_cast<int>(times_s.size());
  if (count < kLeast) return kLeast - count;
  if (now_s >= cell_end_s_ || count >= kMost || IsSettled(Summarise(times_s))) return 0;
  // The real duration of a sample: the timed part, the barrier before it, and all overhead.
  const double sample_s = std::max(1e-9, (now_s - cell_start_s_) / count);
  const double span_s = std::min(kBatchSeconds, cell_end_s_ - now_s);
  const int batch = static_cast<int>(std::min<double>(kLargestBatch, span_s / sample_s));
  return std::clamp(batch, 1, kMost - count);
}

void Pacer::FinishCell(const Summary& summary) {
  ++finished_;
  if (!IsSettled(summary)) ++unsettled_;
}

double Pacer::LeftSeconds(double now_s) const {
  const double budget_left_s = std::max(0.0, end_s_ - now_s);
  if (finished_ == 0) return budget_left_s;
  return std::min(budget_left_s, (now_s - start_s_) / finished_ * (cells_ - finished_));
}

}  // namespace cox::bench
