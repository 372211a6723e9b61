// A sketch of the messages that an application sends in phases of one kind: how many destinations
// and bytes, how far, how often, and how long. Sums over ranks and phases; two sketches of the same
// phases add up to one.
//
// Plain data, any thread. The agent makes sketches, the store keeps them per application.
#ifndef COX_DOMAIN_PATTERN_SKETCH_H_
#define COX_DOMAIN_PATTERN_SKETCH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "absl/strings/string_view.h"
#include "domain/pattern/classes.h"

namespace cox::domain {

// By class, see classes.h.
using PatternCounts = std::array<int64_t, kPatternClasses>;

struct PatternKey {
  std::string machine;
  std::string application;
  PatternKind kind = PatternKind::kMessages;
  int64_t nodes = 1;  // of the job
  int64_t ppn = 1;
  int64_t ranks = 1;  // of the communicator

  friend bool operator==(const PatternKey&, const PatternKey&) = default;
  friend bool operator<(const PatternKey& a, const PatternKey& b) {
    return std::tie(a.machine, a.application, a.kind, a.nodes, a.ppn, a.ranks) <
           std::tie(b.machine, b.application, b.kind, b.nodes, b.ppn, b.ranks);
  }
};

struct PatternSketch {
  PatternKey key;
  int64_t phase_count = 0;    // of all ranks: a call of p ranks is p phases
  int64_t sampled_count = 0;  // phases that were looked at
  int64_t repeat_count = 0;   // sampled phases equal to one of the rank's four samples before
  double total_bytes = 0;     // of the sampled phases' messages to other ranks
  int64_t timed_count = 0;    // phases with a known time, and a known time since the phase before
  double inside_s = 0;        // of the timed phases: from entry to exit, with waits
  double between_s = 0;       // of the timed phases: since the exit of the rank's phase before
  PatternCounts destination_counts{};  // sampled phases by their number of destinations
  PatternCounts size_counts{};         // their messages by bytes
  PatternCounts distance_counts{};     // their destinations by RingDistance()

  friend bool operator==(const PatternSketch&, const PatternSketch&) = default;
};

// Adds the counts and times of `part`; the keys are equal. Counts stay at 2^57, so that TotalOf()
// does not overflow; those of `part` are at most as large.
void Add(const PatternSketch& part, PatternSketch& whole);

// "alltoallv", "neighbour", "messages"; none for other names.
std::optional<PatternKind> ParsePatternKind(absl::string_view name);

// The sum of all classes.
int64_t TotalOf(const PatternCounts& counts);

// The least sum that the counted numbers can have: each is the least of its class.
double LeastSumOf(const PatternCounts& counts);

}  // namespace cox::domain

#endif  // COX_DOMAIN_PATTERN_SKETCH_H_
