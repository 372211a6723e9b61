#include "learn/correct/surface/columns.h"

#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include <algorithm>
#include <cstring>

namespace cox::learn {
namespace {

// The vector of floats that every processor of 64 bits has; compilers without it split it up.
using Four = float __attribute__((vector_size(16)));
Four Load(const float* from) {
  Four values;
  std::memcpy(&values, from, sizeof(values));
  return values;
}

void Store(Four values, float* to) { std::memcpy(to, &values, sizeof(values)); }

Four All(float value) { return Four{value, value, value, value}; }

// The greater of each two. Processors have an instruction for it that compilers find only without
// the rules for NaN.
Four Max(Four a, Four b) {
#ifdef __SSE__
  return _mm_max_ps(a, b);
#else
  return a > b ? a : b;
#endif
}

float Largest(Four values) { return std::max({values[0], values[1], values[2], values[3]}); }

float SumOf(Four values) { return (values[0] + values[1]) + (values[2] + values[3]); }

}  // namespace

void KernelAt(const PlaceColumns& places, const std::array<float, 3>& at,
              const std::array<float, 3>& scale, float* kernel) {
  const Four one = All(1);
  const Four at_x = All(at[0]);
  const Four at_y = All(at[1]);
  const Four at_z = All(at[2]);
  const Four scale_x = All(scale[0]);
  const Four scale_y = All(scale[1]);
  const Four scale_z = All(scale[2]);
  for (size_t i = 0; i < places.x.size(); i += 4) {
    const Four x = Load(places.x.data() + i) - at_x;
    const Four y = Load(places.y.data() + i) - at_y;
    const Four z = Load(places.z.data() + i) - at_z;
    Store(one / (one + (scale_x * x * x + scale_y * y * y + scale_z * z * z)), kernel + i);
  }
}

void Square(float* column, size_t length) {
  for (size_t i = 0; i < length; i += 4) {
    const Four value = Load(column + i);
    Store(value * value, column + i);
  }
}

SampleSums SumSamples(const float* correlation, const float* solution, const float* trust,
                      const float* weight, size_t length) {
  // Several, so that no step waits for the one before.
  Four mean[2] = {};
  Four explained[2] = {};
  Four support[2] = {};
  const auto add = [&](size_t i, size_t part) {
    const Four near = Load(correlation + i);
    const Four square = near * near;
    mean[part] += near * Load(solution + i);
    explained[part] = Max(explained[part], square * Load(trust + i));
    support[part] += square * Load(weight + i);
  };
  for (size_t i = 0; i < length; i += 8) {
    add(i, 0);
    add(i + 4, 1);
  }
  return {SumOf(mean[0] + mean[1]), Largest(Max(explained[0], explained[1])),
          SumOf(support[0] + support[1])};
}

float SumOfProducts(const float* a, const float* b, size_t length) {
  Four sums[4] = {};
  for (size_t i = 0; i < length; i += kColumnStep) {
    sums[0] += Load(a + i) * Load(b + i);
    sums[1] += Load(a + i + 4) * Load(b + i + 4);
    sums[2] += Load(a + i + 8) * Load(b + i + 8);
    sums[3] += Load(a + i + 12) * Load(b + i + 12);
  }
  return SumOf((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

float Largest(const float* column, size_t length) {
  Four largest[2] = {};
  for (size_t i = 0; i < length; i += 8) {
    largest[0] = Max(largest[0], Load(column + i));
    largest[1] = Max(largest[1], Load(column + i + 4));
  }
  return Largest(Max(largest[0], largest[1]));
}

}  // namespace cox::learn
