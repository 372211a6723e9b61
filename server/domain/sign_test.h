// A test of "A is not slower than B" on pairs of timings. You may look at the result after each
// pair, as often as you like. The test knows only which of the two was slower. If that is A with
// probability 1/2 or less, the evidence ever reaches 1 / e with probability at most e, for every
// distribution of times. A test repeated with a fixed level would in the end reject everything.
//
// The evidence is the likelihood ratio of the signs, averaged over some probabilities p that A is
// slower. It is the mean of (2 p)^slower (2 (1 - p))^others. Each term is a martingale that starts
// at 1 (J. Ville, "Etude critique de la notion de collectif", 1939; H. Robbins, "Statistical
// methods related to the law of the iterated logarithm", 1970, for the mixture). Nine pairs that
// all say "slower" reach 100.
//
// Header only and free of dependencies: the agent, which links nothing but libc, shares it. Same
// signs give the same evidence to the last bit. Pure; one thread. Cannot fail.
#ifndef COX_DOMAIN_SIGN_TEST_H_
#define COX_DOMAIN_SIGN_TEST_H_

#include <cstdint>

namespace cox::domain {

class SignTest {
 public:
  // Of the mixture.
  static constexpr int kMixture = 10;
  // What a pair multiplies the i-th likelihood ratio by, 0 <= i < kMixture.
  static double Factor(int i, bool is_slower) {
    return 2 * (is_slower ? kProbability[i] : 1 - kProbability[i]);
  }

  void Add(bool is_slower) {
    ++count_;
    slower_count_ += is_slower ? 1 : 0;
    for (int i = 0; i < kMixture; ++i) ratio_[i] *= Factor(i, is_slower);
  }

  // >= 0; 1 without pairs.
  double Evidence() const {
    double sum = 0;
    for (const double ratio : ratio_) sum += ratio;
    return sum / kMixture;
  }

  // Whether A is shown to be slower, with this probability of an error (0..1) over all looks
  // together.
  bool IsSlower(double error) const { return Evidence() * error >= 1; }

  int64_t count() const { return count_; }
  int64_t slower_count() const { return slower_count_; }

 private:
  static constexpr double kProbability[kMixture] = {0.55, 0.6,  0.65, 0.7,  0.75,
                                                    0.8,  0.85, 0.9,  0.95, 0.99};

  double ratio_[kMixture] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  int64_t count_ = 0;
  int64_t slower_count_ = 0;
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_SIGN_TEST_H_
