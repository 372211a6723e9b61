// The equations of L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized
// communication, 2003, as printed; seconds. P processors, m bytes for each destination, lambda 1 if
// the topology has holes. Tests compare them with the general path, which prices the actual
// messages of a strategy.
#ifndef COX_TESTS_GOLDEN_ALPHA_BETA_FORMS_H_
#define COX_TESTS_GOLDEN_ALPHA_BETA_FORMS_H_

#include <cmath>

namespace cox::golden {

struct AlphaBeta {
  double alpha_s;
  double beta_s_per_byte;
};

struct Personalized {
  double processors;
  double bytes;
};

// Eq. (1).
inline double DirectSeconds(const AlphaBeta& t, const Personalized& x) {
  return (x.processors - 1) * (t.alpha_s + x.bytes * t.beta_s_per_byte);
}

// Eqs. (2), (3): exact, dimensions = 2 (mesh) or 3 (grid); below, their limits for large P.
inline double DimensionsSeconds(const AlphaBeta& t, const Personalized& x, double dimensions) {
  const double side = std::pow(x.processors, 1 / dimensions);
  return dimensions * (side - 1) * (t.alpha_s + x.processors / side * x.bytes * t.beta_s_per_byte);
}
inline double LargeDimensionsSeconds(const AlphaBeta& t, const Personalized& x, double dimensions) {
  return dimensions * std::pow(x.processors, 1 / dimensions) * t.alpha_s +
         dimensions * x.processors * x.bytes * t.beta_s_per_byte;
}

// Eq. (4), the grid.
inline double GridWithHolesSeconds(const AlphaBeta& t, const Personalized& x, double lambda) {
  return (3 + lambda) * std::cbrt(x.processors) * t.alpha_s +
         (3 + 2 * lambda) * x.processors * x.bytes * t.beta_s_per_byte;
}

// Eqs. (5), (6).
inline double HypercubeSeconds(const AlphaBeta& t, const Personalized& x, double lambda) {
  return std::log2(x.processors) *
         (t.alpha_s + (1 + lambda) / 2 * x.processors * x.bytes * t.beta_s_per_byte);
}

}  // namespace cox::golden

#endif  // COX_TESTS_GOLDEN_ALPHA_BETA_FORMS_H_
