#include "advise/tuning/job_beliefs.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "topology/powers_of_two.h"

namespace cox::advise {
namespace {

// The best of all algorithms but one; null where there is no other.
const Belief* BestBeside(const JobBeliefs::Size& size, const std::string& algorithm) {
  const Belief* best = nullptr;
  for (const auto& [name, belief] : size.beliefs) {
    if (name == algorithm) continue;
    if (best == nullptr || belief.log_time < best->log_time) best = &belief;
  }
  return best;
}

// Adds the sizes [first, last) to `kept`: those of the most seconds, which stand for the others.
void KeepMostOf(std::map<int64_t, double>::const_iterator first,
                std::map<int64_t, double>::const_iterator last, std::map<int64_t, double>* kept) {
  std::vector<std::pair<int64_t, double>> sizes(first, last);
  const size_t count = std::min<size_t>(sizes.size(), kMaxSizesPerDoubling);
  const auto others = sizes.begin() + static_cast<std::ptrdiff_t>(count);
  std::partial_sort(sizes.begin(), others, sizes.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (auto size = sizes.begin(); size != others; ++size) kept->insert(*size);
  for (auto other = others; other != sizes.end(); ++other) {
    const auto nearest = std::min_element(sizes.begin(), others, [&](const auto& a, const auto& b) {
      return std::abs(a.first - other->first) < std::abs(b.first - other->first);
    });
    (*kept)[nearest->first] += other->second;
  }
}

// The sizes that are weighed, with the seconds of those that they stand for.
std::map<int64_t, double> WeighedSizes(const std::map<int64_t, double>& spent_s) {
  std::map<int64_t, double> kept;
  for (auto first = spent_s.begin(); first != spent_s.end();) {
    const int64_t next = topology::PowerOfTwoAbove(first->first);
    const auto last = next == 0 ? spent_s.end() : spent_s.lower_bound(next);
    KeepMostOf(first, last, &kept);
    first = last;
  }
  return kept;
}

}  // namespace

std::string FullName(absl::string_view library, absl::string_view name) {
  return library.empty() ? std::string(name) : absl::StrCat(library, "/", name);
}

JobBeliefs::JobBeliefs(JobAdvice* advice, const std::map<int64_t, double>& spent_s, int64_t nodes,
                       int64_t ppn, int64_t ranks) {
  for (const auto& [bytes, seconds] : WeighedSizes(spent_s)) {
    Size size;
    size.bytes = bytes;
    size.spent_s = seconds;
    size.answer = advice->At(bytes, /*with_ranked=*/true);
    size.chosen = FullName(size.answer.chosen.library, size.answer.chosen.algorithm);
    size.at = learn::CoordinatesOf({static_cast<double>(nodes), static_cast<double>(ppn),
                                    static_cast<double>(ranks), static_cast<double>(bytes)});
    for (const Candidate& one : size.answer.ranked) {
      size.beliefs[FullName(one.library, one.algorithm)] = {std::log(one.predicted_time_s),
                                                            one.own_sigma * one.own_sigma};
    }
    sizes_.push_back(std::move(size));
  }
}

std::vector<std::pair<learn::Coordinates, Belief>> JobBeliefs::TimedIn(
    const std::string& algorithm, const SizeRange& range) const {
  std::vector<std::pair<learn::Coordinates, Belief>> timed;
  auto tried = std::lower_bound(
      sizes_.begin(), sizes_.end(), range.from_bytes,
      [](const Size& size, int64_t from_bytes) { return size.bytes < from_bytes; });
  for (; tried != sizes_.end() && range.Holds(tried->bytes); ++tried) {
    const auto belief = tried->beliefs.find(algorithm);
    if (belief != tried->beliefs.end()) timed.emplace_back(tried->at, belief->second);
  }
  return timed;
}

double JobBeliefs::WorthOf(const std::string& algorithm, const SizeRange& range) const {
  const auto timed = TimedIn(algorithm, range);
  if (timed.empty()) return 0;
  double worth_s = 0;
  for (const Size& size : sizes_) {
    const auto chosen = size.beliefs.find(size.chosen);
    const auto tried = size.beliefs.find(algorithm);
    if (chosen == size.beliefs.end() || tried == size.beliefs.end()) continue;
    const bool is_chosen = size.chosen == algorithm;
    const Belief* other = is_chosen ? BestBeside(size, algorithm) : &tried->second;
    if (other == nullptr) continue;
    double share = 0;  // of the variance of the algorithm's belief, that the trial removes
    for (const auto& [at, belief_there] : timed) {
      share = std::max(share, PassedOn(belief_there, at, size.at));
    }
    const TimingOf timing = is_chosen ? TimingOf::kChosen : TimingOf::kOther;
    worth_s += size.spent_s * ExpectedReduction(chosen->second, *other, timing, share);
  }
  return worth_s;
}

void JobBeliefs::Take(const std::string& algorithm, const SizeRange& range) {
  const auto timed = TimedIn(algorithm, range);  // as believed before
  for (Size& size : sizes_) {
    const auto belief = size.beliefs.find(algorithm);
    if (belief == size.beliefs.end()) continue;
    const Belief before = belief->second;
    for (const auto& [at, belief_there] : timed) {
      Belief after = before;
      Learn(belief_there, at, size.at, &after);
      belief->second.variance = std::min(belief->second.variance, after.variance);
    }
  }
}

}  // namespace cox::advise
