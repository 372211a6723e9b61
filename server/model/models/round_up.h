// Rounding up without a function call: baseline x86-64 has no instruction for it, and pricing
// rounds in every phase. Pure, any thread.
#ifndef COX_MODEL_MODELS_ROUND_UP_H_
#define COX_MODEL_MODELS_ROUND_UP_H_

#include <cstdint>

namespace cox::model {

// std::ceil of x >= 0. Infinity and NaN are returned as they are.
inline double RoundUp(double x) {
  constexpr double kNoFraction = 4503599627370496;  // 2^52
  if (!(x < kNoFraction)) return x;
  const auto whole = static_cast<double>(static_cast<int64_t>(x));
  return whole < x ? whole + 1 : whole;
}

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_ROUND_UP_H_
