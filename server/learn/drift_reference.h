// What the first observations of a cell or station say about its time: median and spread, which
// later observations are compared with. One thread at a time.
#ifndef COX_LEARN_DRIFT_REFERENCE_H_
#define COX_LEARN_DRIFT_REFERENCE_H_

#include <cstddef>
#include <vector>

namespace cox::learn {

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

  // Begins the reference with a time, without comparing anything with it yet.
  void Seed(double log_time) { logs_.push_back(log_time); }
  size_t count() const { return logs_.size(); }  // of a reference that is not frozen

 private:
  std::vector<double> logs_;  // released when the reference is frozen
  bool is_frozen_ = false;
  double median_ = 0;
  double sigma_ = 0;
};

// The mean of the two middle values where their number is even; reorders them. At least one value.
double MiddleOf(std::vector<double>& values);

}  // namespace cox::learn

#endif  // COX_LEARN_DRIFT_REFERENCE_H_
