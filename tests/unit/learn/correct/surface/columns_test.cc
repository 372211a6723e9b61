#include "learn/correct/surface/columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace cox::learn {
namespace {

// Of every length around a step, also of none.
constexpr size_t kCounts[] = {0, 1, 3, 15, 16, 17, 160};

std::vector<double> Drawn(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(0, 20);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(random);
  return values;
}

TEST(ColumnsTest, AColumnHasItsValuesAndThenZeros) {
  for (const size_t count : kCounts) {
    const std::vector<double> values = Drawn(count, 1);
    const std::vector<float> column = ColumnOf(values);
    EXPECT_EQ(column.size() % kColumnStep, 0U);
    ASSERT_GE(column.size(), count);
    EXPECT_LT(column.size(), count + kColumnStep);
    for (size_t i = 0; i < column.size(); ++i) {
      EXPECT_EQ(column[i], i < count ? static_cast<float>(values[i]) : 0) << i;
    }
  }
}

TEST(ColumnsTest, SumsAndTheLargestAreThoseOfAllValues) {
  for (const size_t count : kCounts) {
    const std::vector<double> a = Drawn(count, 1);
    const std::vector<double> b = Drawn(count, 2);
    double sum = 0;
    for (size_t i = 0; i < count; ++i) sum += a[i] * b[i];
    std::vector<float> column = ColumnOf(a);
    EXPECT_NEAR(SumOfProducts(column.data(), ColumnOf(b).data(), column.size()), sum, 1e-5 * sum);
    EXPECT_EQ(Largest(column.data(), column.size()),
              count == 0 ? 0 : *std::max_element(column.begin(), column.end()));
    const std::vector<float> before = column;
    Square(column.data(), column.size());
    for (size_t i = 0; i < column.size(); ++i) EXPECT_EQ(column[i], before[i] * before[i]) << i;
  }
}

TEST(ColumnsTest, SamplesCountByTheirCorrelation) {
  for (const size_t count : kCounts) {
    const std::vector<double> correlation = Drawn(count, 1);
    const std::vector<double> solution = Drawn(count, 2);
    const std::vector<double> trust = Drawn(count, 3);
    const std::vector<double> weight = Drawn(count, 4);
    double mean = 0;
    double explained = 0;
    double support = 0;
    for (size_t i = 0; i < count; ++i) {
      const double square = correlation[i] * correlation[i];
      mean += correlation[i] * solution[i];
      explained = std::max(explained, square * trust[i]);
      support += square * weight[i];
    }
    const std::vector<float> column = ColumnOf(correlation);
    const SampleSums sums =
        SumSamples(column.data(), ColumnOf(solution).data(), ColumnOf(trust).data(),
                   ColumnOf(weight).data(), column.size());
    EXPECT_NEAR(sums.mean, mean, 1e-5 * mean);
    EXPECT_NEAR(sums.explained, explained, 1e-6 * explained);
    EXPECT_NEAR(sums.support, support, 1e-5 * support);
  }
}

TEST(ColumnsTest, TheKernelFallsWithTheDistanceInEachDimension) {
  for (const size_t count : kCounts) {
    const std::vector<double> x = Drawn(count, 3);
    const std::vector<double> y = Drawn(count, 4);
    const std::vector<double> z = Drawn(count, 5);
    const PlaceColumns places{ColumnOf(x), ColumnOf(y), ColumnOf(z)};
    std::vector<float> kernel(places.x.size());
    KernelAt(places, {3, 7, 11}, {0.5F, 0.25F, 2}, kernel.data());
    for (size_t i = 0; i < count; ++i) {
      const double distance =
          0.5 * std::pow(x[i] - 3, 2) + 0.25 * std::pow(y[i] - 7, 2) + 2 * std::pow(z[i] - 11, 2);
      EXPECT_NEAR(kernel[i], 1 / (1 + distance), 1e-5 / (1 + distance)) << i;
    }
  }
}

}  // namespace
}  // namespace cox::learn
