// Least squares with every unknown >= 0, from the normal equations, for at most a few dozen
// unknowns. Stateless, any thread, never fails.
#ifndef COX_LEARN_CALIBRATE_NNLS_H_
#define COX_LEARN_CALIBRATE_NNLS_H_

#include <Eigen/Dense>

namespace cox::learn {

// The x >= 0 that minimises x'Gx - 2 h'x, where G = A'A (symmetric, positive semi-definite) and h =
// A'b. The method is the active-set method of Lawson and Hanson, "Solving Least Squares Problems"
// (1974), chapter 23. Unknowns with a zero column stay 0. Columns may differ in scale by any
// factor.
Eigen::VectorXd SolveNonNegative(const Eigen::MatrixXd& gram, const Eigen::VectorXd& rhs);

}  // namespace cox::learn

#endif  // COX_LEARN_CALIBRATE_NNLS_H_
