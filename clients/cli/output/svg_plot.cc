#include "cli/output/svg_plot.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "console/units.h"

namespace cox::cli {
namespace {

constexpr double kWidth = 900;
constexpr double kLeft = 84;
constexpr double kTop = 48;
constexpr double kPlotWidth = 560;
constexpr double kPlotHeight = 380;
constexpr double kBelow = 64;
constexpr double kLegendLine = 20;

// M. Okabe, K. Ito, Color universal design, 2008, without yellow, which is too pale for a line.
constexpr std::array<const char*, 7> kColours = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                 "#56B4E9", "#E69F00", "#000000"};
constexpr std::array<const char*, 3> kDashes = {"", "7 3", "2 3"};

std::string XmlText(absl::string_view text) {
  return absl::StrReplaceAll(text,
                             {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

bool IsDrawable(const std::pair<double, double>& point) {
  return point.first > 0 && point.second > 0 && std::isfinite(point.first) &&
         std::isfinite(point.second);
}

// One logarithmic axis: from and to are whole powers of `base`.
class Axis {
 public:
  Axis(double least, double greatest, double base, AxisUnit unit)
      : base_(base),
        unit_(unit),
        from_(std::floor(std::log(least) / std::log(base) + 1e-9)),
        to_(std::ceil(std::log(greatest) / std::log(base) - 1e-9)) {
    if (to_ <= from_) to_ = from_ + 1;
  }

  // 0 at the beginning of the axis, 1 at its end.
  double Share(double value) const {
    return (std::log(value) / std::log(base_) - from_) / (to_ - from_);
  }

  // Powers to put a tick at, at most about ten.
  std::vector<double> Ticks() const {
    const double step = std::max(1.0, std::ceil((to_ - from_) / 10));
    std::vector<double> ticks;
    for (double power = from_; power <= to_; power += step) ticks.push_back(std::pow(base_, power));
    return ticks;
  }

  std::string TickText(double value) const {
    switch (unit_) {
      case AxisUnit::kBytes:
        return value < 1 ? absl::StrFormat("%g B", value)
                         : console::FormatBytes(static_cast<int64_t>(std::llround(value)));
      case AxisUnit::kSeconds: {
        // One digit: ticks are powers of ten.
        constexpr std::array<std::pair<double, const char*>, 5> kUnits = {
            {{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}, {1e-12, "ps"}}};
        for (const auto& [scale, name] : kUnits) {
          if (value >= scale * 0.999) return absl::StrFormat("%.6g %s", value / scale, name);
        }
        return absl::StrFormat("%.6g s", value);
      }
      case AxisUnit::kCount:
        return absl::StrFormat("%g", value);
    }
    return "";
  }

 private:
  double base_;
  AxisUnit unit_;
  double from_;
  double to_;
};

class Drawing {
 public:
  Drawing(const Plot& plot, const Axis& x, const Axis& y) : plot_(plot), x_(x), y_(y) {}

  std::string Draw() {
    const double legend = kTop + kLegendLine * static_cast<double>(plot_.lines.size());
    const double height = std::max(kTop + kPlotHeight + kBelow, legend + 16);
    out_ = absl::StrFormat(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%g\" height=\"%g\" "
        "viewBox=\"0 0 %g %g\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
        kWidth, height, kWidth, height);
    Text(kLeft, 24, "start", plot_.title, " font-size=\"15\"");
    DrawGrid();
    for (size_t i = 0; i < plot_.lines.size(); ++i) DrawLine(i);
    return out_ + "</svg>\n";
  }

 private:
  static double XOf(double share) { return kLeft + share * kPlotWidth; }
  static double YOf(double share) { return kTop + (1 - share) * kPlotHeight; }

  void Text(double x, double y, const char* anchor, absl::string_view text,
            absl::string_view more = "") {
    absl::StrAppendFormat(&out_, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>\n", x,
                          y, anchor, more, XmlText(text));
  }

  void DrawGrid() {
    constexpr absl::string_view kGrid = "stroke=\"#dddddd\" stroke-width=\"1\"";
    for (const double tick : x_.Ticks()) {
      const double x = XOf(x_.Share(tick));
      absl::StrAppendFormat(&out_, "<path d=\"M%.1f %.1fV%.1f\" %s/>\n", x, YOf(1), YOf(0), kGrid);
      Text(x, YOf(0) + 18, "middle", x_.TickText(tick));
    }
    for (const double tick : y_.Ticks()) {
      const double y = YOf(y_.Share(tick));
      absl::StrAppendFormat(&out_, "<path d=\"M%.1f %.1fH%.1f\" %s/>\n", XOf(0), y, XOf(1), kGrid);
      Text(XOf(0) - 8, y + 4, "end", y_.TickText(tick));
    }
    absl::StrAppendFormat(&out_,
                          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
                          "fill=\"none\" stroke=\"#555555\"/>\n",
                          XOf(0), YOf(1), kPlotWidth, kPlotHeight);
    Text(XOf(0.5), YOf(0) + 44, "middle", plot_.x_label);
    const double middle = YOf(0.5);
    Text(18, middle, "middle", plot_.y_label,
         absl::StrFormat(" transform=\"rotate(-90 18 %.1f)\"", middle));
  }

  void DrawMark(size_t line, double x, double y) {
    const char* colour = kColours[line % kColours.size()];
    switch (line / kColours.size() % 3) {
      case 0:
        absl::StrAppendFormat(&out_, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\" fill=\"%s\"/>\n", x,
                              y, colour);
        return;
      case 1:
        absl::StrAppendFormat(&out_,
                              "<rect x=\"%.1f\" y=\"%.1f\" width=\"5\" height=\"5\" "
                              "fill=\"%s\"/>\n",
                              x - 2.5, y - 2.5, colour);
        return;
      default:
        absl::StrAppendFormat(&out_, "<path d=\"M%.1f %.1fl3 5h-6z\" fill=\"%s\"/>\n", x, y - 3,
                              colour);
    }
  }

  void DrawLine(size_t i) {
    const PlotLine& line = plot_.lines[i];
    const char* colour = kColours[i % kColours.size()];
    const char* dash = kDashes[i / kColours.size() % kDashes.size()];
    const std::string stroke =
        absl::StrFormat("fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s", colour,
                        *dash == 0 ? "" : absl::StrFormat(" stroke-dasharray=\"%s\"", dash));
    std::vector<std::pair<double, double>> places;
    for (const auto& point : line.points) {
      if (!IsDrawable(point)) continue;
      places.emplace_back(XOf(x_.Share(point.first)), YOf(y_.Share(point.second)));
    }
    std::string path;
    for (const auto& [x, y] : places) {
      absl::StrAppendFormat(&path, "%s%.1f %.1f", path.empty() ? "M" : "L", x, y);
    }
    if (!path.empty()) absl::StrAppendFormat(&out_, "<path d=\"%s\" %s/>\n", path, stroke);
    // Marks at every point of a short line only.
    constexpr size_t kMarkedPoints = 40;
    if (places.size() <= kMarkedPoints) {
      for (const auto& [x, y] : places) DrawMark(i, x, y);
    }
    const double legend_x = XOf(1) + 16;
    const double legend_y = kTop + kLegendLine * (static_cast<double>(i) + 0.5);
    absl::StrAppendFormat(&out_, "<path d=\"M%.1f %.1fh26\" %s/>\n", legend_x, legend_y, stroke);
    DrawMark(i, legend_x + 13, legend_y);
    Text(legend_x + 32, legend_y + 4, "start", line.name);
  }

  const Plot& plot_;
  const Axis& x_;
  const Axis& y_;
  std::string out_;
};

}  // namespace

absl::StatusOr<std::string> DrawSvg(const Plot& plot) {
  std::vector<double> xs;
  std::vector<double> ys;
  for (const PlotLine& line : plot.lines) {
    for (const auto& point : line.points) {
      if (!IsDrawable(point)) continue;
      xs.push_back(point.first);
      ys.push_back(point.second);
    }
  }
  if (xs.empty()) {
    return absl::FailedPreconditionError(
        "nothing to draw: logarithmic axes show only values above 0");
  }
  const auto [x_least, x_greatest] = std::minmax_element(xs.begin(), xs.end());
  const auto [y_least, y_greatest] = std::minmax_element(ys.begin(), ys.end());
  const Axis x(*x_least, *x_greatest, 2, plot.x_unit);
  const Axis y(*y_least, *y_greatest, 10, plot.y_unit);
  return Drawing(plot, x, y).Draw();
}

}  // namespace cox::cli
