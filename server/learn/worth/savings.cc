#include "learn/worth/savings.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "learn/structure.h"
#include "library/run_time_number.h"

namespace cox::learn {
namespace {

constexpr int64_t kSlotUs = 30'000'000;
constexpr size_t kCanariesPerBlock = 2;

// What is slow as a whole: the job, and its slot.
using Cluster = std::pair<absl::string_view, int64_t>;
// Library and algorithm: libcoxcoll may run beside the job's own library.
using Ran = std::pair<absl::string_view, absl::string_view>;

// The sums of a unit while it grows.
struct Sums {
  double calls = 0;
  double time_s = 0;
  double at_us = 0;  // weighed by calls
  void Add(const CallTime& time) {
    calls += time.calls;
    time_s += time.calls * time.time_s;
    at_us += time.calls * static_cast<double>(time.at_us);
  }
  void Add(const Sums& other, double factor = 1) {
    calls += factor * other.calls;
    time_s += factor * other.time_s;
    at_us += factor * other.at_us;
  }
};

// The tuned calls of one algorithm, and its peers among them.
struct TunedSums {
  Sums all;
  Sums peers;
};
using TunedByRan = std::map<Ran, TunedSums>;

struct Arms {
  std::map<Cluster, Sums> canaries;
  std::map<Cluster, TunedByRan> tuned;
};

// A value of the experiment: the calls of one job, or of one slot of a job with both arms.
struct Unit {
  int64_t at_us = 0;
  double calls = 0;
  double time_s = 0;  // mean
  Cluster cluster;
  const TunedByRan* tuned = nullptr;  // of tuned calls: what they are the sum of
};

std::vector<Unit> UnitsOf(const std::map<Cluster, Sums>& sums) {
  std::vector<Unit> units;
  units.reserve(sums.size());
  for (const auto& [cluster, sum] : sums) {
    units.push_back({.at_us = static_cast<int64_t>(sum.at_us / sum.calls),
                     .calls = sum.calls,
                     .time_s = sum.time_s / sum.calls,
                     .cluster = cluster});
  }
  std::sort(units.begin(), units.end(),
            [](const Unit& a, const Unit& b) { return a.at_us < b.at_us; });
  return units;
}

std::vector<Unit> TunedUnitsOf(const Arms& arms) {
  std::map<Cluster, Sums> sums;
  for (const auto& [cluster, by_ran] : arms.tuned) {
    for (const auto& [ran, tuned] : by_ran) sums[cluster].Add(tuned.all);
  }
  std::vector<Unit> units = UnitsOf(sums);
  for (Unit& unit : units) unit.tuned = &arms.tuned.at(unit.cluster);
  return units;
}

// Tuned calls of a block that are compared as one.
struct Part {
  double calls = 0;
  double spent_s = 0;
  std::map<Cluster, Sums> sample;  // what stands for them, with as many calls

  void Count(const Sums& tuned) {
    calls += tuned.calls;
    spent_s += tuned.time_s;
  }
};

// The calls that peers stand for, and the others, which stand for themselves. Peers are of the same
// job and algorithm, because another one may take any time. They weigh as much as those that they
// stand for, whatever share of its calls a job draws.
std::vector<Part> PartsOf(absl::Span<const Unit> tuned) {
  std::map<std::pair<absl::string_view, Ran>, TunedSums> totals;
  for (const Unit& unit : tuned) {
    for (const auto& [ran, sums] : *unit.tuned) {
      TunedSums& total = totals[{unit.cluster.first, ran}];
      total.all.Add(sums.all);
      total.peers.Add(sums.peers);
    }
  }
  Part with_peers;
  Part without;
  for (const Unit& unit : tuned) {
    for (const auto& [ran, sums] : *unit.tuned) {
      const TunedSums& total = totals[{unit.cluster.first, ran}];
      if (!(total.peers.calls > 0)) {
        without.Count(sums.all);
        without.sample[unit.cluster].Add(sums.all);
        continue;
      }
      with_peers.Count(sums.all);
      if (sums.peers.calls > 0) {
        with_peers.sample[unit.cluster].Add(sums.peers, total.all.calls / total.peers.calls);
      }
    }
  }
  std::vector<Part> parts;
  for (Part* part : {&with_peers, &without}) {
    if (part->calls > 0) parts.push_back(std::move(*part));
  }
  return parts;
}

struct Mean {
  double calls = 0;
  double time_s = 0;
  double squared_shares = 0;  // sum; the share of a unit is of the calls
};

Mean MeanOf(absl::Span<const Unit> units) {
  Mean mean;
  for (const Unit& unit : units) {
    mean.calls += unit.calls;
    mean.time_s += unit.calls * unit.time_s;
  }
  mean.time_s /= mean.calls;
  for (const Unit& unit : units) mean.squared_shares += std::pow(unit.calls / mean.calls, 2);
  return mean;
}

// A mean lies nearer to its own units than the truth does, and nearest to the heaviest. If all
// units scatter alike, this part of a unit's variance is left around the mean: (n - 1) / n of equal
// units.
double VarianceLeft(const Unit& unit, const Mean& mean, size_t n) {
  const double share = unit.calls / mean.calls;
  const double others = (mean.calls - unit.calls) / mean.calls;
  const auto count = static_cast<double>(n);
  // Equal units beside this one leave the least. Where it has almost all calls, rounding is
  // greater.
  constexpr double kAboveRounding = 1e-24;
  return std::max(
      {1 - 2 * share + mean.squared_shares, others * others * count / (count - 1), kAboveRounding});
}

// The standard deviation of a unit, by two or more of them.
double ScatterOf(absl::Span<const Unit> units, const Mean& mean) {
  const auto n = static_cast<double>(units.size());
  double squares = 0;
  for (const Unit& unit : units) squares += std::pow(unit.time_s - mean.time_s, 2);
  // The sum of VarianceLeft.
  return std::sqrt(squares / (n - 2 + n * mean.squared_shares));
}

// A row while blocks are added.
struct Row {
  Savings savings;
  std::map<Cluster, double> deviation_s;  // of saved_s, by what is slow as a whole

  // `canaries`: two or more. `tuned`: one or more.
  void AddBlock(absl::Span<const Unit> canaries, absl::Span<const Unit> tuned, double ranks) {
    const Mean control = MeanOf(canaries);
    savings.canary_calls += control.calls;
    for (const Part& part : PartsOf(tuned)) {
      const std::vector<Unit> sample = UnitsOf(part.sample);
      const Mean treated = MeanOf(sample);
      const double saved_s = part.calls * (control.time_s - treated.time_s);
      savings.compared_calls += part.calls;
      savings.spent_s += part.spent_s;
      savings.saved_s += saved_s;
      savings.saved_rank_s += saved_s * ranks;
      AddDeviations(canaries, control, part.calls);
      if (sample.size() > 1) {
        AddDeviations(sample, treated, -part.calls);
      } else {
        // A single value does not show its scatter: it is taken to be as great as a canary's.
        deviation_s[sample.front().cluster] +=
            part.calls * ScatterOf(canaries, control) * treated.time_s / control.time_s;
      }
    }
  }

  // Of `calls` times the mean of `units`: two or more.
  void AddDeviations(absl::Span<const Unit> units, const Mean& mean, double calls) {
    for (const Unit& unit : units) {
      deviation_s[unit.cluster] += calls * unit.calls / mean.calls * (unit.time_s - mean.time_s) /
                                   std::sqrt(VarianceLeft(unit, mean, units.size()));
    }
  }

  Savings Conclude() {
    double squares = 0;
    double fourths = 0;
    for (const auto& [cluster, deviation] : deviation_s) {
      squares += deviation * deviation;
      fourths += std::pow(deviation, 4);
    }
    if (fourths > 0) {
      // A block of two canaries has two equal squares and one degree of freedom. The fourth power
      // of a normal deviation is on average three times its squared variance.
      const double freedom = std::max(1.0, 1.5 * squares * squares / fourths - 2);
      savings.half_width_s = StudentQuantile95(freedom) * std::sqrt(squares);
    }
    return std::move(savings);
  }
};

// Library, collective, job, application, begin of the bucket.
using RowKey =
    std::tuple<absl::string_view, absl::string_view, absl::string_view, absl::string_view, int64_t>;
// A property of each job.
using ByJob = std::map<absl::string_view, absl::string_view>;

class Estimator {
 public:
  Estimator(const SavingsOf& of, const SavingsBy& by, const ByJob& applications)
      : of_(of), by_(by), applications_(applications) {}

  void AddScenario(const domain::ScenarioKey& key, const Arms& arms) {
    if (!of_.library.empty() && key.library != of_.library) return;
    const std::vector<Unit> canaries = UnitsOf(arms.canaries);
    const std::vector<Unit> tuned = WantedOf(arms);
    std::set<Row*> rows;
    for (const Unit& unit : tuned) {
      for (Row* row : RowsOf(key, unit)) {
        row->savings.calls += unit.calls;
        rows.insert(row);
      }
    }
    double stored = 0;
    for (const Unit& unit : canaries) stored += unit.calls;
    for (Row* row : rows) row->savings.stored_canary_calls += stored;
    const size_t blocks = canaries.size() / kCanariesPerBlock;
    auto next = tuned.begin();
    for (size_t block = 0; block < blocks; ++block) {
      const size_t begin = block * kCanariesPerBlock;
      const bool is_last = block + 1 == blocks;
      const size_t end = is_last ? canaries.size() : begin + kCanariesPerBlock;
      const absl::Span<const Unit> control =
          absl::MakeConstSpan(canaries).subspan(begin, end - begin);
      // Halfway to the next block's first canary.
      const int64_t border_us =
          is_last ? INT64_MAX
                  : control.back().at_us + (canaries[end].at_us - control.back().at_us) / 2;
      std::vector<Unit> near;
      for (; next != tuned.end() && next->at_us <= border_us; ++next) {
        if (IsNear(*next, control)) near.push_back(*next);
      }
      AddBlock(key, control, near);
    }
  }

  std::vector<Savings> Conclude() {
    std::vector<Savings> rows;
    for (auto& [key, row] : rows_) {
      Savings savings = row.Conclude();
      savings.library = std::string(std::get<0>(key));
      savings.collective = std::string(std::get<1>(key));
      savings.job = std::string(std::get<2>(key));
      savings.application = std::string(std::get<3>(key));
      savings.begin_us = std::get<4>(key);
      rows.push_back(std::move(savings));
    }
    std::stable_sort(rows.begin(), rows.end(), [](const Savings& a, const Savings& b) {
      return std::tie(a.begin_us, b.saved_s) < std::tie(b.begin_us, a.saved_s);
    });
    rows.insert(rows.begin(), total_.Conclude());
    return rows;
  }

 private:
  static bool IsNear(const Unit& unit, absl::Span<const Unit> canaries) {
    return std::any_of(canaries.begin(), canaries.end(), [&](const Unit& canary) {
      return std::abs(canary.at_us - unit.at_us) <= kReachUs;
    });
  }

  // Tuned ones.
  std::vector<Unit> WantedOf(const Arms& arms) const {
    std::vector<Unit> units = TunedUnitsOf(arms);
    if (!of_.job.empty()) {
      std::erase_if(units, [&](const Unit& unit) { return unit.cluster.first != of_.job; });
    }
    if (!of_.application.empty()) {
      std::erase_if(units,
                    [&](const Unit& unit) { return ApplicationOf(unit) != of_.application; });
    }
    return units;
  }

  bool has_rows() const {
    return by_.library || by_.collective || by_.job || by_.application || by_.bucket_us > 0;
  }

  absl::string_view ApplicationOf(const Unit& unit) const {
    const auto found = applications_.find(unit.cluster.first);
    return found == applications_.end() ? "" : found->second;
  }

  int64_t BeginOf(int64_t at_us) const {
    if (by_.bucket_us == 0) return 0;
    const int64_t since_us = at_us - by_.origin_us;
    const int64_t into_us = since_us % by_.bucket_us;
    return at_us - into_us - (into_us < 0 ? by_.bucket_us : 0);
  }

  RowKey KeyOf(const domain::ScenarioKey& key, const Unit& unit) const {
    return {by_.library ? absl::string_view(key.library) : "",
            by_.collective ? absl::string_view(key.collective) : "",
            by_.job ? unit.cluster.first : "", by_.application ? ApplicationOf(unit) : "",
            BeginOf(unit.at_us)};
  }

  std::vector<Row*> RowsOf(const domain::ScenarioKey& key, const Unit& unit) {
    if (!has_rows()) return {&total_};
    return {&total_, &rows_[KeyOf(key, unit)]};
  }

  void AddBlock(const domain::ScenarioKey& key, absl::Span<const Unit> canaries,
                const std::vector<Unit>& tuned) {
    if (tuned.empty()) return;
    const auto ranks = static_cast<double>(key.ranks);
    total_.AddBlock(canaries, tuned, ranks);
    if (!has_rows()) return;
    std::map<RowKey, std::vector<Unit>> of_rows;
    for (const Unit& unit : tuned) of_rows[KeyOf(key, unit)].push_back(unit);
    for (const auto& [row, units] : of_rows) rows_[row].AddBlock(canaries, units, ranks);
  }

  const SavingsOf of_;
  const SavingsBy by_;
  const ByJob& applications_;
  Row total_;
  std::map<RowKey, Row> rows_;
};

// The scenario of a call whatever its algorithm, under the job's library.
domain::ScenarioKey CallOf(const CallTime& time, absl::string_view library) {
  domain::ScenarioKey key = time.scenario;
  key.algorithm.clear();
  key.library = std::string(library);
  return key;
}

// Libcoxcoll runs beside the job's own library. `times` may have no call of that library: if they
// are of one collective, say. Then it is the library whose canaries ran the same calls. If there
// are several, it stays open, because the default of another library may take any time.
ByJob LibrariesOfJobs(absl::Span<const CallTime> times) {
  const auto is_own = [](const CallTime& time) {
    return time.scenario.library != library::kCoxcoll;
  };
  ByJob libraries;
  for (const CallTime& time : times) {
    if (is_own(time)) libraries[time.job] = time.scenario.library;
  }
  using Names = std::set<absl::string_view>;
  std::map<domain::ScenarioKey, Names> with_canaries;
  for (const CallTime& time : times) {
    if (is_own(time) && time.arm == domain::CanaryArm::kCanary) {
      with_canaries[CallOf(time, "")].insert(time.scenario.library);
    }
  }
  std::map<absl::string_view, Names> possible;  // by job
  for (const CallTime& time : times) {
    if (libraries.contains(time.job)) continue;
    const auto found = with_canaries.find(CallOf(time, ""));
    if (found != with_canaries.end()) possible[time.job].merge(Names(found->second));
  }
  for (const auto& [job, names] : possible) {
    if (names.size() == 1) libraries[job] = *names.begin();
  }
  return libraries;
}

ByJob ApplicationsOfJobs(absl::Span<const CallTime> times) {
  ByJob applications;
  for (const CallTime& time : times) applications[time.job] = time.application;
  return applications;
}

}  // namespace

double CallsOf(absl::string_view collective, int64_t ranks, int64_t timing_count) {
  constexpr absl::string_view kReceivers[] = {"bcast", "scatter"};
  constexpr absl::string_view kOneRank[] = {"gather", "gatherv", "scatterv",
                                            "reduce", "scan",    "exscan"};
  const auto is_in = [&](const auto& names) {
    return std::find(std::begin(names), std::end(names), collective) != std::end(names);
  };
  const int64_t reporters = is_in(kOneRank)     ? 1
                            : is_in(kReceivers) ? std::max<int64_t>(1, ranks - 1)
                                                : ranks;
  return static_cast<double>(timing_count) / static_cast<double>(reporters);
}

double StudentQuantile95(double freedom) {
  // Of 1, 2, ... degrees of freedom.
  constexpr std::array<double, 10> kExact = {6.3138, 2.9200, 2.3534, 2.1318, 2.0150,
                                             1.9432, 1.8946, 1.8595, 1.8331, 1.8125};
  if (freedom < static_cast<double>(kExact.size())) {
    const auto below = static_cast<size_t>(freedom);
    const double low = kExact[below - 1];
    const double high = kExact[below];
    // t is about linear in 1 / freedom.
    const auto whole = static_cast<double>(below);
    const double part = (1 / whole - 1 / freedom) / (1 / whole - 1 / (whole + 1));
    return low + part * (high - low);
  }
  // The first terms of the Cornish-Fisher expansion.
  constexpr double kZ = 1.6449;
  return kZ + (kZ * kZ * kZ + kZ) / (4 * freedom) +
         (5 * std::pow(kZ, 5) + 16 * std::pow(kZ, 3) + 3 * kZ) / (96 * freedom * freedom);
}

std::vector<Savings> EstimateSavings(absl::Span<const CallTime> times, const SavingsOf& of,
                                     const SavingsBy& by) {
  const ByJob libraries = LibrariesOfJobs(times);
  const ByJob applications = ApplicationsOfJobs(times);
  // By scenario and job, slot by slot.
  std::map<domain::ScenarioKey, std::map<absl::string_view, Arms>> jobs;
  for (const CallTime& time : times) {
    const bool is_default = time.scenario.algorithm == kDefaultAlgorithm;
    if (is_default != (time.arm == domain::CanaryArm::kCanary) || !(time.calls > 0)) continue;
    const auto library = libraries.find(time.job);
    const domain::ScenarioKey key =
        CallOf(time, library == libraries.end() ? time.scenario.library : library->second);
    Arms& arms = jobs[key][time.job];
    const Cluster cluster(time.job, time.at_us / kSlotUs);
    if (is_default) {
      arms.canaries[cluster].Add(time);
      continue;
    }
    TunedSums& tuned = arms.tuned[cluster][{time.scenario.library, time.scenario.algorithm}];
    tuned.all.Add(time);
    if (time.arm == domain::CanaryArm::kPeer) tuned.peers.Add(time);
  }
  Estimator estimator(of, by, applications);
  for (const auto& [key, by_job] : jobs) {
    Arms whole;
    for (const auto& [job, arms] : by_job) {
      if (arms.canaries.size() >= kCanariesPerBlock && !arms.tuned.empty()) {
        estimator.AddScenario(key, arms);
        continue;
      }
      // Too short to be compared with itself, or of one arm: one value of each arm.
      const Cluster cluster(job, 0);
      for (const auto& [slot, sums] : arms.canaries) whole.canaries[cluster].Add(sums);
      for (const auto& [slot, by_ran] : arms.tuned) {
        for (const auto& [ran, sums] : by_ran) {
          TunedSums& tuned = whole.tuned[cluster][ran];
          tuned.all.Add(sums.all);
          tuned.peers.Add(sums.peers);
        }
      }
    }
    estimator.AddScenario(key, whole);
  }
  return estimator.Conclude();
}

}  // namespace cox::learn
