#include "learn/calibrate/nnls.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace cox::learn {
namespace {

double Objective(const Eigen::MatrixXd& gram, const Eigen::VectorXd& rhs,
                 const Eigen::VectorXd& x) {
  return x.dot(gram * x) - 2 * rhs.dot(x);
}

// The best solution over all active sets.
Eigen::VectorXd Exhaustive(const Eigen::MatrixXd& gram, const Eigen::VectorXd& rhs) {
  const int size = static_cast<int>(rhs.size());
  Eigen::VectorXd best = Eigen::VectorXd::Zero(size);
  for (int mask = 1; mask < 1 << size; ++mask) {
    std::vector<int> free;
    for (int i = 0; i < size; ++i) {
      if ((mask >> i & 1) != 0) free.push_back(i);
    }
    const int count = static_cast<int>(free.size());
    Eigen::MatrixXd sub(count, count);
    Eigen::VectorXd sub_rhs(count);
    for (int i = 0; i < count; ++i) {
      sub_rhs(i) = rhs(free[i]);
      for (int j = 0; j < count; ++j) sub(i, j) = gram(free[i], free[j]);
    }
    const Eigen::VectorXd solved = sub.ldlt().solve(sub_rhs);
    if ((solved.array() < 0).any()) continue;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(size);
    for (int i = 0; i < count; ++i) x(free[i]) = solved(i);
    if (Objective(gram, rhs, x) < Objective(gram, rhs, best)) best = x;
  }
  return best;
}

TEST(NnlsTest, IsTheBestOfAllActiveSets) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 200; ++round) {
    const int size = 2 + round % 5;
    Eigen::MatrixXd a(size + 3, size);
    Eigen::VectorXd b(size + 3);
    for (int i = 0; i < a.rows(); ++i) {
      b(i) = normal(random);
      for (int j = 0; j < size; ++j) a(i, j) = normal(random);
    }
    const Eigen::MatrixXd gram = a.transpose() * a;
    const Eigen::VectorXd rhs = a.transpose() * b;
    const Eigen::VectorXd x = SolveNonNegative(gram, rhs);
    EXPECT_GE(x.minCoeff(), 0);
    EXPECT_NEAR(Objective(gram, rhs, x), Objective(gram, rhs, Exhaustive(gram, rhs)), 1e-6);
  }
}

TEST(NnlsTest, ScalesOfColumnsDoNotMatter) {
  Eigen::MatrixXd a(4, 2);
  a << 1, 1e-12, 1, 2e-12, 1, 3e-12, 1, 5e-12;
  Eigen::VectorXd b(4);
  b << 3 + 4, 3 + 8, 3 + 12, 3 + 20;
  const Eigen::VectorXd x = SolveNonNegative(a.transpose() * a, a.transpose() * b);
  EXPECT_NEAR(x(0), 3, 1e-6);
  EXPECT_NEAR(x(1), 4e12, 4e6);
}

TEST(NnlsTest, ZeroAndCollinearColumnsAreHarmless) {
  Eigen::MatrixXd a(3, 3);
  a << 1, 1, 0, 2, 2, 0, 3, 3, 0;
  Eigen::VectorXd b(3);
  b << 2, 4, 6;
  const Eigen::VectorXd x = SolveNonNegative(a.transpose() * a, a.transpose() * b);
  EXPECT_NEAR(x(0) + x(1), 2, 1e-6);
  EXPECT_EQ(x(2), 0);
  EXPECT_TRUE(x.allFinite());
}

TEST(NnlsTest, EverythingNegativeGivesZero) {
  const Eigen::MatrixXd gram = Eigen::MatrixXd::Identity(3, 3);
  Eigen::VectorXd rhs(3);
  rhs << -1, -2, -3;
  EXPECT_EQ(SolveNonNegative(gram, rhs), Eigen::VectorXd::Zero(3));
}

}  // namespace
}  // namespace cox::learn
