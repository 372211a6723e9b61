#include "model/analysis/error_metric.h"

#include <cmath>
#include <limits>

#include "domain/errors.h"
#include "gtest/gtest.h"

namespace cox::model {
namespace {

TEST(ErrorMetric, AFactorIsTheSameEitherWay) {
  EXPECT_DOUBLE_EQ(*ErrorOf(1, 3), 2);
  EXPECT_DOUBLE_EQ(*ErrorOf(3, 1), 2);
  EXPECT_EQ(*ErrorOf(7, 7), 0);
}

TEST(ErrorMetric, TimesAndRatesAgree) {
  const double work = 12.5;
  EXPECT_NEAR(*ErrorOf(work / 89.9, work / 113.0), *ErrorOf(89.9, 113.0), 1e-12);
}

TEST(ErrorMetric, IsNotDefinedWhereOneIsNothing) {
  EXPECT_EQ(*ErrorOf(0, 0), 0);
  EXPECT_TRUE(std::isinf(*ErrorOf(0, 1)));
  EXPECT_TRUE(std::isinf(*ErrorOf(1, 0)));
}

TEST(ErrorMetric, RefusesWhatIsNoAmount) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  for (double bad : {-1.0, nan, inf}) {
    EXPECT_EQ(domain::FieldOf(ErrorOf(bad, 1).status()), "measured");
    EXPECT_EQ(domain::FieldOf(ErrorOf(1, bad).status()), "predicted");
  }
}

}  // namespace
}  // namespace cox::model
