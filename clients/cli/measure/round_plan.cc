#include "cli/measure/round_plan.h"

#include <cox/v1/advice.pb.h>

#include <algorithm>
#include <utility>

namespace cox::cli {
namespace {

constexpr double kMinute_s = 60;
constexpr size_t kMostRankCounts = 7;

class Planner {
 public:
  Planner(Suggestions suggestions, const JobCosts& costs, int64_t host_count, double limit_s)
      : suggestions_(suggestions),
        costs_(costs),
        host_count_(host_count),
        limit_s_(limit_s),
        placed_(suggestions.size(), false) {}

  RoundPlan Run() && {
    for (size_t i = 0; i < suggestions_.size(); ++i) {
      if (placed_[i]) continue;
      if (!AddJobFrom(i) && host_count_ == 0) break;
    }
    return std::move(plan_);
  }

 private:
  static bool IsOf(const PlannedJob& job, const v1::MeasurementCandidate& cell) {
    const auto found = job.algorithms.find(cell.collective());
    return job.ranks == cell.ranks() && job.nodes == cell.nodes() && job.ppn == cell.ppn() &&
           (found == job.algorithms.end() || found->second == cell.algorithm());
  }

  double CellTime(const v1::SuggestedMeasurement& one) const {
    return std::max(costs_.cell_s, costs_.calls * one.predicted_time_s());
  }

  // `first`, then the later suggestions without a job. The start of the job is paid, so those come
  // first that gain most per second of their own cells.
  std::vector<size_t> Waiting(size_t first) const {
    std::vector<size_t> waiting;
    for (size_t i = first; i < suggestions_.size(); ++i) {
      if (!placed_[i]) waiting.push_back(i);
    }
    const auto gain_per_s = [this](size_t i) {
      return suggestions_[i]->expected_gain_ratio() / CellTime(*suggestions_[i]);
    };
    std::stable_sort(waiting.begin() + 1, waiting.end(),
                     [&](size_t a, size_t b) { return gain_per_s(a) > gain_per_s(b); });
    return waiting;
  }

  double JobTime(const PlannedJob& job) const {
    return costs_.slowness * (costs_.start_s + job.cells_s);
  }

  // False, without a change, if its job takes too long.
  bool AddJobFrom(size_t first) {
    const v1::MeasurementCandidate& opener = suggestions_[first]->measurement();
    PlannedJob job{.ranks = opener.ranks(), .nodes = opener.nodes(), .ppn = opener.ppn()};
    std::vector<size_t> members;
    double gain = 0;
    for (const size_t i : Waiting(first)) {
      if (job.cells_s >= costs_.start_s) break;
      const v1::MeasurementCandidate& cell = suggestions_[i]->measurement();
      if (!IsOf(job, cell)) continue;
      job.algorithms.emplace(cell.collective(), cell.algorithm());
      job.cells.push_back({cell.collective(), cell.block_bytes()});
      job.cells_s += CellTime(*suggestions_[i]);
      gain += suggestions_[i]->expected_gain_ratio();
      members.push_back(i);
    }
    if (!Place(std::move(job))) return false;
    for (const size_t i : members) placed_[i] = true;
    plan_.gain += gain;
    plan_.cell_count += members.size();
    ++plan_.job_count;
    return true;
  }

  // Into the first wave with enough free nodes, or into a new one.
  bool Place(PlannedJob job) {
    const double job_s = JobTime(job);
    for (size_t i = 0; i < plan_.waves.size(); ++i) {
      const double more_s = std::max(0.0, job_s - wave_s_[i]);
      if (job.nodes > free_nodes_[i] || plan_.time_s + more_s > limit_s_) continue;
      free_nodes_[i] -= job.nodes;
      wave_s_[i] += more_s;
      plan_.time_s += more_s;
      plan_.waves[i].push_back(std::move(job));
      return true;
    }
    if (!plan_.waves.empty() && plan_.time_s + job_s > limit_s_) return false;
    free_nodes_.push_back(host_count_ - job.nodes);
    wave_s_.push_back(job_s);
    plan_.time_s += job_s;
    plan_.waves.push_back({std::move(job)});
    return true;
  }

  const Suggestions suggestions_;
  const JobCosts& costs_;
  const int64_t host_count_;
  const double limit_s_;
  std::vector<bool> placed_;
  std::vector<int64_t> free_nodes_;  // of each wave
  std::vector<double> wave_s_;
  RoundPlan plan_;
};

}  // namespace

RoundPlan PlanRound(Suggestions suggestions, const JobCosts& costs, int64_t host_count,
                    double limit_s) {
  return Planner(suggestions, costs, host_count, limit_s).Run();
}

double WorthOfMinute(Suggestions suggestions, const JobCosts& costs, int64_t host_count) {
  const RoundPlan plan = PlanRound(suggestions, costs, host_count, kMinute_s);
  return plan.gain * (plan.time_s > kMinute_s ? kMinute_s / plan.time_s : 1);
}

std::vector<int64_t> UsualRanks(int64_t most) {
  std::vector<int64_t> ranks;
  for (int64_t half = most; half >= 2 && ranks.size() < kMostRankCounts; half /= 2) {
    for (const int64_t count : {half, 3 * half / 4}) {
      if (count < 2 || ranks.size() == kMostRankCounts) break;
      if (ranks.empty() || count < ranks.back()) ranks.push_back(count);
    }
  }
  return ranks;
}

}  // namespace cox::cli
