#include "advise/tuning/job_beliefs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"

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

}  // namespace

std::string FullName(absl::string_view library, absl::string_view name) {
  return library.empty() ? std::string(name) : absl::StrCat(library, "/", name);
}

JobBeliefs::JobBeliefs(JobAdvice* advice, const std::map<int64_t, double>& spent_s, int64_t nodes,
                       int64_t ppn, int64_t ranks) {
  for (const auto& [bytes, seconds] : spent_s) {
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

double JobBeliefs::ShareAt(const std::string& algorithm, const SizeRange& range,
                           const Size& size) const {
  double share = 0;
  for (const Size& tried : sizes_) {
    const auto timed = tried.beliefs.find(algorithm);
    if (!range.Holds(tried.bytes) || timed == tried.beliefs.end()) continue;
    share = std::max(share, PassedOn(timed->second, tried.at, size.at));
  }
  return share;
}

double JobBeliefs::WorthOf(const std::string& algorithm, const SizeRange& range) const {
  double worth_s = 0;
  for (const Size& size : sizes_) {
    const auto chosen = size.beliefs.find(size.chosen);
    const auto tried = size.beliefs.find(algorithm);
    if (chosen == size.beliefs.end() || tried == size.beliefs.end()) continue;
    const bool is_chosen = size.chosen == algorithm;
    const Belief* other = is_chosen ? BestBeside(size, algorithm) : &tried->second;
    if (other == nullptr) continue;
    worth_s += size.spent_s * ExpectedReduction(chosen->second, *other,
                                                is_chosen ? TimingOf::kChosen : TimingOf::kOther,
                                                ShareAt(algorithm, range, size));
  }
  return worth_s;
}

void JobBeliefs::Take(const std::string& algorithm, const SizeRange& range) {
  std::vector<std::pair<learn::Coordinates, Belief>> timed;  // as believed before
  for (const Size& tried : sizes_) {
    const auto belief = tried.beliefs.find(algorithm);
    if (range.Holds(tried.bytes) && belief != tried.beliefs.end()) {
      timed.emplace_back(tried.at, belief->second);
    }
  }
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
