// Estimates what tuned calls have saved, from canaries: calls and jobs that ran the library's
// default at random.
//
// The tuned calls of a scenario are compared with its canaries of about the same time, so that a
// drift or a neighbour slows both:
// - a job that ran both is compared with itself, half a minute by half a minute;
// - jobs with one of the two are compared with one another, each job as one value;
// - where canaries have peers (canary_guard.h), these stand for the tuned calls of the same job and
//   algorithm: there are as many of them as canaries, so an estimator that depends on their number
//   is off alike in both. Other tuned calls stand for themselves;
// - in order of time, two canary values (at the end three) and the tuned values nearest to them are
//   a block. A block saves (mean time of its canaries - mean time of its tuned calls) times its
//   tuned calls: first those with peers, then the others. Tuned calls more than kReachUs from each
//   canary are not compared.
//
// The interval is Neyman's for a randomised, blocked experiment, robust to jobs (or half minutes of
// a job) that are slow as a whole: the deviations of all values of one job are summed before they
// are squared (J. Neyman, 1923; K.-Y. Liang and S. Zeger, 1986), with Student's t of as many
// degrees of freedom as there are about equal deviations (F. Satterthwaite, 1946). A deviation from
// the mean is corrected by the weight of its value, because one long job draws the mean to itself
// (R. Bell and D. McCaffrey, 2002). It needs no distribution of times but means that are about
// normal.
//
// Pure; any thread. Cannot fail.
#ifndef COX_LEARN_WORTH_SAVINGS_H_
#define COX_LEARN_WORTH_SAVINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/canary_arm.h"
#include "domain/cell_key.h"

namespace cox::learn {

// The time of a job's calls, as one of its nodes reported it.
struct CallTime {
  domain::ScenarioKey scenario;
  std::string job;            // the whole job, not one node's part
  std::string application{};  // the job's; empty: not known
  int64_t at_us = 0;
  double calls = 0;   // > 0; may be a part of a call, of a node of several
  double time_s = 0;  // mean, > 0
  domain::CanaryArm arm = domain::CanaryArm::kTuned;
};

// How many calls `timing_count` timings of all ranks that report are (docs/agent.md, "What is
// timed"): each rank of most collectives, the receivers of bcast and scatter, one rank of gather,
// reduce and scan. `ranks` >= 1.
double CallsOf(absl::string_view collective, int64_t ranks, int64_t timing_count);

struct Savings {
  // Which calls; empty: all.
  std::string library;  // the job's
  std::string collective;
  std::string job;
  std::string application;
  int64_t begin_us = 0;  // of the bucket; 0 if none are told apart

  double calls = 0;  // tuned
  // Canaries of the same scenarios, of all jobs, compared or not. A scenario with fewer than two
  // values of canaries is not compared.
  double stored_canary_calls = 0;
  // What follows is about those that were compared.
  double compared_calls = 0;
  double canary_calls = 0;
  double spent_s = 0;
  double saved_s = 0;
  double saved_rank_s = 0;  // each call's saving times its ranks
  // 90 % within saved_s +- half_width_s; < 0: not known.
  double half_width_s = -1;
};

// Whose tuned calls count; empty: all. Canaries of others are compared with, too.
struct SavingsOf {
  std::string library{};  // the job's
  std::string job{};
  std::string application{};
};

// What to tell apart.
struct SavingsBy {
  bool library = false;
  bool collective = false;
  bool job = false;
  bool application = false;
  int64_t bucket_us = 0;  // length of a time bucket, >= 1; 0: none
  int64_t origin_us = 0;  // where a bucket begins
};

inline constexpr int64_t kReachUs = int64_t{7} * 24 * 3600 * 1'000'000;

// First the sum of all, then, unless `by` is empty, a row for each combination with tuned calls: by
// bucket, then the greatest saving first. `times`: of one machine, in any order; the default's of
// other arms than kCanary count for nothing. Where the times of a job are of libcoxcoll only, its
// library is the one whose canaries ran the same calls, if there is only one. O(n log n).
std::vector<Savings> EstimateSavings(absl::Span<const CallTime> times, const SavingsOf& of,
                                     const SavingsBy& by);

// The 95 % quantile of Student's t with `freedom` >= 1 degrees of freedom, within 1 %.
double StudentQuantile95(double freedom);

}  // namespace cox::learn

#endif  // COX_LEARN_WORTH_SAVINGS_H_
