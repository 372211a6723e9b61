// The number of a statistic's name in a row. Thread rule: pure. Failure rule: -1 for an unknown
// name.
#ifndef COX_STORE_STATISTIC_H_
#define COX_STORE_STATISTIC_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace cox::store {

// "" means "mean".
inline int64_t StatisticNumber(absl::string_view name) {
  if (name.empty() || name == "mean") return 0;
  if (name == "median") return 1;
  return name == "min" ? 2 : -1;
}

inline const char* StatisticName(int64_t number) {
  return number == 1 ? "median" : number == 2 ? "min" : "mean";
}

}  // namespace cox::store

#endif  // COX_STORE_STATISTIC_H_
