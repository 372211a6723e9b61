// Arithmetic modulo a prime with a root of unity of order 2^23; products of residues fit 64 bits.
#ifndef COX_TESTS_E2E_APPS_MODULAR_H_
#define COX_TESTS_E2E_APPS_MODULAR_H_

#include <stdint.h>

static const int64_t kPrime = 998244353;
static const int64_t kGenerator = 3;

static inline int64_t Add(int64_t a, int64_t b) { return (a + b) % kPrime; }
static inline int64_t Subtract(int64_t a, int64_t b) { return (a - b + kPrime) % kPrime; }
static inline int64_t Multiply(int64_t a, int64_t b) { return a * b % kPrime; }

static inline int64_t Power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent /= 2, base = Multiply(base, base)) {
    if (exponent % 2 == 1) result = Multiply(result, base);
  }
  return result;
}

// A number for each index that looks like noise, so that a misplaced block is noticed.
static inline int64_t Noise(int64_t index) {
  int64_t value = Add(Multiply(index % kPrime, 48271), 11);
  value = Add(Multiply(value, value), 7);
  return Add(Multiply(value, 69621), index / kPrime % kPrime);
}

#endif  // COX_TESTS_E2E_APPS_MODULAR_H_
