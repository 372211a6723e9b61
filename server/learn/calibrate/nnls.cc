#include "learn/calibrate/nnls.h"

#include <cmath>
#include <vector>

namespace cox::learn {
namespace {

// The unconstrained solution over the free unknowns, zero elsewhere. The tiny ridge selects one of
// many solutions where columns are collinear; it is far below any statistical error.
Eigen::VectorXd SolveFree(const Eigen::MatrixXd& gram, const Eigen::VectorXd& rhs,
                          const std::vector<bool>& is_free) {
  std::vector<int> index;
  for (int i = 0; i < rhs.size(); ++i) {
    if (is_free[i]) index.push_back(i);
  }
  const int count = static_cast<int>(index.size());
  Eigen::MatrixXd sub(count, count);
  Eigen::VectorXd sub_rhs(count);
  for (int i = 0; i < count; ++i) {
    sub_rhs(i) = rhs(index[i]);
    for (int j = 0; j < count; ++j) sub(i, j) = gram(index[i], index[j]);
    sub(i, i) += 1e-10;
  }
  const Eigen::VectorXd sub_x = sub.ldlt().solve(sub_rhs);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(rhs.size());
  for (int i = 0; i < count; ++i) x(index[i]) = sub_x(i);
  return x;
}

}  // namespace

Eigen::VectorXd SolveNonNegative(const Eigen::MatrixXd& gram, const Eigen::VectorXd& rhs) {
  const int size = static_cast<int>(rhs.size());
  Eigen::VectorXd scale(size);
  for (int i = 0; i < size; ++i) scale(i) = gram(i, i) > 0 ? 1 / std::sqrt(gram(i, i)) : 0;
  const Eigen::MatrixXd g = scale.asDiagonal() * gram * scale.asDiagonal();
  const Eigen::VectorXd h = scale.cwiseProduct(rhs);

  Eigen::VectorXd x = Eigen::VectorXd::Zero(size);
  std::vector<bool> is_free(size, false);
  for (int round = 0; round < 3 * size; ++round) {
    const Eigen::VectorXd descent = h - g * x;
    int best = -1;
    for (int i = 0; i < size; ++i) {
      if (!is_free[i] && scale(i) > 0 && descent(i) > 1e-9 &&
          (best < 0 || descent(i) > descent(best))) {
        best = i;
      }
    }
    if (best < 0) break;
    is_free[best] = true;
    // Each pass frees x of at least one unknown that would turn negative, so `size` passes are
    // enough.
    for (int pass = 0; pass < size; ++pass) {
      const Eigen::VectorXd z = SolveFree(g, h, is_free);
      double step = 1;
      for (int i = 0; i < size; ++i) {
        if (is_free[i] && z(i) <= 0 && x(i) > z(i)) step = std::min(step, x(i) / (x(i) - z(i)));
      }
      x += step * (z - x);
      bool held = false;
      for (int i = 0; i < size; ++i) {
        if (is_free[i] && x(i) <= 1e-14) {
          x(i) = 0;
          if (z(i) <= 0) {
            is_free[i] = false;
            held = true;
          }
        }
      }
      if (!held) break;
    }
  }
  return scale.cwiseProduct(x);
}

}  // namespace cox::learn
