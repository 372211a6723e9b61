// Sums over columns of floats, several floats at once. A column's length is a multiple of
// kColumnStep; the floats past its last value are 0. Sums add kColumnStep partial sums in a fixed
// order. Stateless, any thread; allocates nothing.
#ifndef COX_LEARN_CORRECT_SURFACE_COLUMNS_H_
#define COX_LEARN_CORRECT_SURFACE_COLUMNS_H_

#include <array>
#include <cstddef>
#include <vector>

namespace cox::learn {

inline constexpr size_t kColumnStep = 16;

// The length of a column of `count` values.
constexpr size_t ColumnLength(size_t count) {
  return (count + kColumnStep - 1) / kColumnStep * kColumnStep;
}

// A column with these values.
template <typename Values>
std::vector<float> ColumnOf(const Values& values) {
  std::vector<float> column(ColumnLength(values.size()), 0);
  for (size_t i = 0; i < values.size(); ++i) column[i] = static_cast<float>(values[i]);
  return column;
}

// Places in three dimensions, a column each.
struct PlaceColumns {
  std::vector<float> x, y, z;
};

// kernel[i] = 1 / (1 + a (x[i] - at[0])^2 + b (y[i] - at[1])^2 + c (z[i] - at[2])^2), with `scale`
// = (a, b, c), all >= 0. `kernel` has the length of the columns; its floats past the last place are
// not 0.
void KernelAt(const PlaceColumns& places, const std::array<float, 3>& at,
              const std::array<float, 3>& scale, float* kernel);

// Each value by its square.
void Square(float* column, size_t length);

// What samples say of a place together.
struct SampleSums {
  float mean = 0;       // sum of correlation[i] solution[i]
  float explained = 0;  // largest correlation[i]^2 trust[i], at least 0
  float support = 0;    // sum of correlation[i]^2 weight[i]
};
SampleSums SumSamples(const float* correlation, const float* solution, const float* trust,
                      const float* weight, size_t length);

// The sum of a[i] b[i].
float SumOfProducts(const float* a, const float* b, size_t length);

// The largest value, at least 0.
float Largest(const float* column, size_t length);

}  // namespace cox::learn

#endif  // COX_LEARN_CORRECT_SURFACE_COLUMNS_H_
