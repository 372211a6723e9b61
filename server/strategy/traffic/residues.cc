#include "strategy/traffic/residues.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace cox::strategy {
namespace {

// Greatest common divisor of a power of two and a modulus >= 1.
int64_t CommonFactor(int64_t step, int64_t modulus) {
  int64_t common = 1;
  while (common < step && modulus % (2 * common) == 0) common *= 2;
  return common;
}

}  // namespace

int64_t CountAt(int64_t residue, const Run& run, int64_t step, int64_t modulus) {
  if (run.terms <= 0) return 0;
  const int64_t distance = Mod(residue - run.first, modulus);
  const int64_t common = CommonFactor(step, modulus);
  if (distance % common != 0) return 0;
  // The first i with i * step = distance (mod modulus). After removing the common factor, step or
  // period is odd, so that halving works until step is 1.
  const int64_t period = modulus / common;
  int64_t first = distance / common;
  for (int64_t left = step / common; left > 1; left /= 2) {
    first = (first % 2 == 0 ? first : first + period) / 2;
  }
  return run.terms <= first ? 0 : (run.terms - 1 - first) / period + 1;
}

int64_t MostAtOne(absl::Span<const Run> runs, int64_t step, int64_t modulus) {
  if (runs.size() == 1) {
    const int64_t period = modulus / CommonFactor(step, modulus);
    return runs[0].terms <= 0 ? 0 : (runs[0].terms - 1) / period + 1;
  }
  // Each run has its mean at every residue, and one more from its first residue on at some: the
  // maximum is at the first residue of a run.
  int64_t most = 0;
  for (const Run& start : runs) {
    if (start.terms <= 0) continue;
    int64_t here = 0;
    for (const Run& run : runs) here += CountAt(Mod(start.first, modulus), run, step, modulus);
    most = std::max(most, here);
  }
  return most;
}

Stride::Stride(int64_t step, int64_t modulus) : step_(step), modulus_(modulus) {
  common_ = std::gcd(step, modulus);
  period_ = modulus / common_;
  // Euclid's algorithm, tracking the multiples of the step.
  int64_t rest = step / common_ % period_;
  int64_t last_rest = period_;
  int64_t factor = 1;
  int64_t last_factor = 0;
  while (rest > 1) {
    const int64_t quotient = last_rest / rest;
    last_rest = std::exchange(rest, last_rest - quotient * rest);
    last_factor = std::exchange(factor, last_factor - quotient * factor);
  }
  inverse_ = Mod(factor, period_);
}

int64_t Stride::CountAt(int64_t residue, const Run& run) const {
  if (run.terms <= 0) return 0;
  const int64_t distance = Mod(residue - run.first, modulus_);
  if (distance % common_ != 0) return 0;
  const int64_t first = distance / common_ * inverse_ % period_;
  return run.terms <= first ? 0 : (run.terms - 1 - first) / period_ + 1;
}

int64_t FloorSum(int64_t terms, int64_t first, int64_t step, int64_t divisor) {
  int64_t sum = 0;
  while (terms > 0) {
    sum += terms * (terms - 1) / 2 * (step / divisor) + terms * (first / divisor);
    step %= divisor;
    first %= divisor;
    const int64_t end = step * terms + first;
    if (end < divisor) break;
    terms = end / divisor;
    first = end % divisor;
    std::swap(divisor, step);
  }
  return sum;
}

}  // namespace cox::strategy
