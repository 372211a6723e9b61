// Quantities as people read them: µs, KiB, GB/s. Only tables use them; JSON and files carry SI
// numbers. Pure, any thread, never fails.
#ifndef COX_CONSOLE_UNITS_H_
#define COX_CONSOLE_UNITS_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace cox::console {

// "12.3 µs": three or four digits, the unit chosen by size.
std::string FormatTime(double time_s);

// "64 KiB" where it divides evenly or is large, else "1000 B".
std::string FormatBytes(int64_t bytes);

// The error of a prediction, as model/analysis/error_metric.h has it: "4.2 %", "207 %", "not
// defined" where it is infinite.
std::string FormatError(double error);

// A value in the model's unit ("s", "s/byte", "byte/s", others as they are): "0.12 ns/byte".
std::string FormatQuantity(double value, absl::string_view unit);

}  // namespace cox::console

#endif  // COX_CONSOLE_UNITS_H_
