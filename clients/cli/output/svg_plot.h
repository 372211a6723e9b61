// A small plot as SVG: lines over a common x axis, both axes logarithmic, with a legend. The same
// input gives the same text. Colours differ in brightness as well, and lines in dashes and marks,
// so that they can be told apart without colour vision. Pure, any thread.
#ifndef COX_CLI_OUTPUT_SVG_PLOT_H_
#define COX_CLI_OUTPUT_SVG_PLOT_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace cox::cli {

struct PlotLine {
  std::string name;
  std::vector<std::pair<double, double>>
      points;  // x, y; those not > 0 have no place and are left out
};

// What an axis counts, which decides how its ticks are written.
enum class AxisUnit {
  kBytes,    // ticks at powers of 2: "64 KiB"
  kSeconds,  // ticks at powers of 10: "1 ms"
  kCount,    // ticks at powers of 2 (x) or 10 (y)
};

struct Plot {
  std::string title;
  std::string x_label;  // "bytes of a block"
  std::string y_label;  // "time"
  AxisUnit x_unit = AxisUnit::kBytes;
  AxisUnit y_unit = AxisUnit::kSeconds;
  std::vector<PlotLine> lines;
};

// FAILED_PRECONDITION where no line has a point that can be drawn.
absl::StatusOr<std::string> DrawSvg(const Plot& plot);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_SVG_PLOT_H_
