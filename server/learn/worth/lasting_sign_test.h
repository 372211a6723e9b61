// The test of domain/sign_test.h for series without end, of an algorithm that may become slower
// after years. A plain test starts once: each good pair takes from its evidence, and later bad
// pairs must win that back first, after thousands of pairs never.
//
// So this one starts again at each pair. The first start gets 0.85 of the capital, start n > 1 gets
// 0.15 / (n (n - 1)); that is 1 in all. The evidence is what the starts have made of their capital,
// and what is not spent yet. That is a martingale from 1, too, so all looks together err with the
// same probability. (O. Shin, A. Ramdas and A. Rinaldo, "E-detectors: a nonparametric framework for
// sequential change detection", 2022, sum up e-processes of all starts; here the sum of capitals
// is 1, which keeps the probability of an error for ever.) Nine pairs that all say "slower" reach
// 100; after 7,000 good pairs it takes 36.
//
// Header only. Pure; one thread. Cannot fail.
#ifndef COX_LEARN_WORTH_LASTING_SIGN_TEST_H_
#define COX_LEARN_WORTH_LASTING_SIGN_TEST_H_

#include <cstdint>

#include "domain/sign_test.h"

namespace cox::learn {

class LastingSignTest {
 public:
  // True: the earlier starts have no more left than a series of good pairs leaves, so they are no
  // part of what the test may show from now on.
  bool Add(bool is_slower) {
    ++count_;
    const double capital = CapitalOf(static_cast<double>(count_));
    double left = 0;
    for (const double value : values_) left += value / kMixture;
    for (int i = 0; i < kMixture; ++i) {
      values_[i] = (values_[i] + capital) * domain::SignTest::Factor(i, is_slower);
    }
    return left < kLeftByGoodPairs * capital;
  }

  // >= 0; 1 without pairs.
  double Evidence() const {
    double sum = 0;
    for (const double value : values_) sum += value;
    const double unspent = count_ == 0 ? 1 : kLaterCapital / static_cast<double>(count_);
    return sum / kMixture + unspent;
  }

  // As domain::SignTest::IsSlower().
  bool IsSlower(double error) const { return Evidence() * error >= 1; }

  int64_t count() const { return count_; }

 private:
  static constexpr int kMixture = domain::SignTest::kMixture;
  static constexpr double kLaterCapital = 0.15;  // of all starts after the first

  // Of starts that all lose, the last ones have this much left, in capitals of the next start: the
  // mean over the mixture of f / (1 - f), with f = Factor(i, false), is 2. Twice that.
  static constexpr double kLeftByGoodPairs = 4;

  // Of start n >= 1.
  static double CapitalOf(double n) {
    return n == 1 ? 1 - kLaterCapital : kLaterCapital / (n * (n - 1));
  }

  double values_[kMixture] = {};
  int64_t count_ = 0;
};

}  // namespace cox::learn

#endif  // COX_LEARN_WORTH_LASTING_SIGN_TEST_H_
