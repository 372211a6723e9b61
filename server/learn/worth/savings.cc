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

// A value of the experiment: the calls of one job, or of one slot of a job with both arms.
struct Unit {
  int64_t at_us = 0;
  double calls = 0;
  double time_s = 0;  // mean
  // What is slow as a whole: the job, and its slot.
  std::pair<absl::string_view, int64_t> cluster;
};
using Cluster = std::pair<absl::string_view, int64_t>;

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
};

struct Arms {
  std::map<Cluster, Sums> canaries;
  std::map<Cluster, Sums> peers;
  std::map<Cluster, Sums> tuned;  // peers included
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

struct Mean {
  double calls = 0;
  double time_s = 0;
};

Mean MeanOf(absl::Span<const Unit> units) {
  Mean mean;
  for (const Unit& unit : units) {
    mean.calls += unit.calls;
    mean.time_s += unit.calls * unit.time_s;
  }
  mean.time_s /= mean.calls;
  return mean;
}

// A row while blocks are added.
struct Row {
  Savings savings;
  std::map<Cluster, double> deviation_s;  // of saved_s, by what is slow as a whole

  // `canaries`: two or more. `tuned`: one or more. `sample`: what stands for them, one or more.
  void AddBlock(absl::Span<const Unit> canaries, absl::Span<const Unit> tuned,
                absl::Span<const Unit> sample, double ranks) {
    const Mean all = MeanOf(tuned);
    const Mean control = MeanOf(canaries);
    const Mean treated = MeanOf(sample);
    const double saved_s = all.calls * (control.time_s - treated.time_s);
    savings.compared_calls += all.calls;
    savings.canary_calls += control.calls;
    savings.spent_s += all.calls * all.time_s;
    savings.saved_s += saved_s;
    savings.saved_rank_s += saved_s * ranks;
    const auto add = [&](absl::Span<const Unit> units, const Mean& mean, double sign) {
      const auto n = static_cast<double>(units.size());
      // Less one for the mean.
      const double scale = sign * all.calls / mean.calls * std::sqrt(n / (n - 1));
      for (const Unit& unit : units) {
        deviation_s[unit.cluster] += scale * unit.calls * (unit.time_s - mean.time_s);
      }
    };
    add(canaries, control, 1);
    if (sample.size() > 1) {
      add(sample, treated, -1);
    } else {
      // A single value does not show its scatter: it is taken to be as great as a canary's.
      const auto n = static_cast<double>(canaries.size());
      double squares = 0;
      for (const Unit& unit : canaries) {
        squares += std::pow(unit.time_s - control.time_s, 2) / (n - 1);
      }
      deviation_s[sample.front().cluster] +=
          all.calls * std::sqrt(squares) * treated.time_s / control.time_s;
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
    const std::vector<Unit> tuned = WantedOf(arms.tuned);
    const std::vector<Unit> peers = WantedOf(arms.peers);
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
    auto next_tuned = tuned.begin();
    auto next_peer = peers.begin();
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
      const auto take = [&](const std::vector<Unit>& units, auto* next) {
        std::vector<Unit> near;
        for (; *next != units.end() && (*next)->at_us <= border_us; ++*next) {
          if (IsNear(**next, control)) near.push_back(**next);
        }
        return near;
      };
      const std::vector<Unit> near = take(tuned, &next_tuned);
      AddBlock(key, control, near, take(peers, &next_peer));
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

  std::vector<Unit> WantedOf(const std::map<Cluster, Sums>& sums) const {
    std::vector<Unit> units = UnitsOf(sums);
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

  // `peers` may be empty.
  void AddBlock(const domain::ScenarioKey& key, absl::Span<const Unit> canaries,
                const std::vector<Unit>& tuned, const std::vector<Unit>& peers) {
    if (tuned.empty()) return;
    const auto ranks = static_cast<double>(key.ranks);
    total_.AddBlock(canaries, tuned, peers.empty() ? tuned : peers, ranks);
    if (!has_rows()) return;
    struct Part {
      std::vector<Unit> tuned;
      std::vector<Unit> peers;
    };
    std::map<RowKey, Part> parts;
    for (const Unit& unit : tuned) parts[KeyOf(key, unit)].tuned.push_back(unit);
    for (const Unit& unit : peers) parts[KeyOf(key, unit)].peers.push_back(unit);
    for (const auto& [row, part] : parts) {
      if (part.tuned.empty()) continue;
      rows_[row].AddBlock(canaries, part.tuned, part.peers.empty() ? part.tuned : part.peers,
                          ranks);
    }
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

// Libcoxcoll runs beside the job's own library.
ByJob LibrariesOfJobs(absl::Span<const CallTime> times) {
  ByJob libraries;
  for (const CallTime& time : times) {
    if (time.scenario.library != library::kCoxcoll) libraries[time.job] = time.scenario.library;
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
    (is_default ? arms.canaries : arms.tuned)[cluster].Add(time);
    if (time.arm == domain::CanaryArm::kPeer) arms.peers[cluster].Add(time);
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
      for (const auto& [from, to] :
           {std::pair(&arms.canaries, &whole.canaries), std::pair(&arms.peers, &whole.peers),
            std::pair(&arms.tuned, &whole.tuned)}) {
        for (const auto& [cluster, sums] : *from) {
          Sums& all = (*to)[{job, 0}];
          all.calls += sums.calls;
          all.time_s += sums.time_s;
          all.at_us += sums.at_us;
        }
      }
    }
    estimator.AddScenario(key, whole);
  }
  return estimator.Conclude();
}

}  // namespace cox::learn
