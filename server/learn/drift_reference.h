// What the first observations of a cell or station say about its time: median and spread, which
// later observations are compared with. One thread at a time. Memory is bounded.
#ifndef COX_LEARN_DRIFT_REFERENCE_H_
#define COX_LEARN_DRIFT_REFERENCE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace cox::learn {

// Of a station: one reporter's part of the machine.
class DriftReference {
 public:
  // Whether at least `least` observations are known.
  bool Knows(size_t least) const { return is_frozen_ || logs_.size() >= least; }

  // 1 for a slow time, -1 for a fast one, 0 for neither and where fewer than `least` observations
  // are known. `log_time` is ln(seconds).
  int SignOf(double log_time, size_t least) const;

  // ln(seconds); 0 before the first observation.
  double median() const { return median_; }

  // Takes one of the first observations; later ones change nothing. O(1) amortised.
  void Learn(double log_time);

 private:
  std::vector<double> logs_;  // released when the reference is frozen
  bool is_frozen_ = false;
  double median_ = 0;
  double sigma_ = 0;
};

// Of a cell, which many reporters observe. Jobs differ from each other: in their nodes, neighbours
// and other work. The observations of one job do not show by how much. So a reference is complete
// only with several reporters, and what lies as far from its median as these do is no deviation.
// Until then an observation by another reporter deviates if it is very far away. If it is nearer,
// it becomes part of the reference. A reporter who mostly deviates has no part in it.
class CellReference {
 public:
  // Whether observations are compared with it.
  bool IsKnown() const;

  // As DriftReference::SignOf(), of an observation by `reporter`: any number that stands for it.
  int SignOf(double log_time, uint64_t reporter) const;

  // ln(seconds); 0 before the first observation.
  double median() const { return median_; }

  // Takes one of the first observations; later ones change nothing. O(1) amortised.
  void Learn(double log_time, uint64_t reporter);

  // Begins the reference with a time, without comparing anything with it yet. Takes a few.
  void Seed(double log_time, uint64_t reporter);

 private:
  // One reporter's first observations.
  struct Part {
    uint64_t reporter = 0;
    std::vector<double> logs;  // without those that deviated
    size_t deviating = 0;
    bool counts() const { return !logs.empty() && deviating <= logs.size(); }
  };

  size_t count() const;
  bool IsOnlyOf(uint64_t reporter) const;
  Part& PartOf(uint64_t reporter);
  void Summarise();

  std::vector<Part> parts_;  // released when the reference is complete
  bool is_complete_ = false;
  double median_ = 0;
  double limit_ = 0;  // a deviation is farther from the median
};

// The mean of the two middle values where their number is even; reorders them. At least one value.
double MiddleOf(std::vector<double>& values);

}  // namespace cox::learn

#endif  // COX_LEARN_DRIFT_REFERENCE_H_
