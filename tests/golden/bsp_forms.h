// The costs of B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel
// computation models, ACM TOCS 16(3), 1998, section 4, in closed form as printed: microseconds of
// communication, sizes in words. p processors; the symbols are the paper's. Tests compare them with
// the general path, which prices the kernels' supersteps.
#ifndef COX_TESTS_GOLDEN_BSP_FORMS_H_
#define COX_TESTS_GOLDEN_BSP_FORMS_H_

#include <algorithm>
#include <cmath>

#include "bsp_machines.h"

namespace cox::golden {

// The totals of a whole program: g H + L S; sigma w M + ell R.
struct BspTotals {
  double words;
  double supersteps;
};
struct BpramTotals {
  double words;
  double messages;
};
inline double BspUs(const Machine& m, const BspTotals& t) {
  return m.g * t.words + m.l * t.supersteps;
}
inline double BpramUs(const Machine& m, const BpramTotals& t) {
  return m.sigma * m.word_bytes * t.words + m.ell * t.messages;
}

// Table II. barriers: 2, or 3 if communication is not buffered.
inline BspTotals MatmulBsp(double n, double p, double barriers) {
  return {3 * n * n / std::pow(p, 2.0 / 3), barriers};
}
inline BpramTotals MatmulBpram(double n, double p) {
  return {3 * n * n / std::pow(p, 2.0 / 3), 3 * std::cbrt(p)};
}

// Table III.
inline BspTotals BitonicBsp(double keys_per_rank, double p) {
  const double steps = std::log2(p) * (std::log2(p) + 1) / 2;
  return {steps * keys_per_rank, steps};
}

// Table IV.
inline BspTotals SampleSortBsp(double oversampling, double largest_bucket, double p) {
  return {(p - 1) * oversampling + 2 * p - 3 + largest_bucket, 4};
}

// Table V.
inline BspTotals Apsp1Bsp(double n, double p) { return {4 * n * n / std::sqrt(p), 2 * n}; }
inline BspTotals Apsp2Bsp(double n, double p) {
  return {6 * n * n / std::sqrt(p), 6 * std::sqrt(p)};
}
inline BpramTotals Apsp1Bpram(double n, double p) {
  return {std::log2(p) * n * n / std::sqrt(p), n * std::log2(p)};
}
inline BpramTotals Apsp2Bpram(double n, double p) {
  return {2 * std::log2(p) * n * n / std::sqrt(p), 2 * std::sqrt(p) * std::log2(p)};
}

// Section 4.4.1, E-BSP, the whole run.
inline double Apsp1EBspUs(const Machine& m, double n) {
  const double side = std::sqrt(m.p);
  return n *
         (std::max(2 * m.g * n / m.p, 2 * m.g_scatter * n / side) + 2 * m.g * n / side + 2 * m.l);
}
inline double Apsp2EBspUs(const Machine& m, double n) {
  const double side = std::sqrt(m.p);
  const double words = n * n / m.p;
  return side * (2 * std::max(m.g * words / side, m.g_scatter * words) +
                 std::max(m.g * words / m.p, m.g_scatter * words) + 3 * m.g * words + 6 * m.l);
}

// Eq. (1), the MasPar's time of a partial permutation among `active` senders. The constant is
// outside the root: only this reading gives the text's 13 % and 46 %.
inline double UnbalancedUs(double active) {
  return active > 0 ? 0.84 * active + 11.8 * std::sqrt(active) + 73.3 : 0;
}

// Eq. (3), one iteration of APSP 1 under MP-E-BSP; and under MP-BSP.
inline double Apsp1MpEBspIterationUs(double n, double p) {
  const double side = std::sqrt(p);
  double us = n / side * (UnbalancedUs(side) + UnbalancedUs(p));
  for (double active = n; active < p; active *= 2) us += UnbalancedUs(active);
  return 2 * us;
}
inline double Apsp1MpBspIterationUs(const Machine& m, double n) {
  return (m.g + m.l) * (4 * n / std::sqrt(m.p) + 2 * std::max(0.0, std::log2(m.p / n)));
}

}  // namespace cox::golden

#endif  // COX_TESTS_GOLDEN_BSP_FORMS_H_
