#include "cli/output/svg_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "absl/strings/str_cat.h"

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Plot TwoLines() {
  Plot plot;
  plot.title = "alltoall on <delta>";
  plot.x_label = "bytes of a block";
  plot.y_label = "time";
  plot.lines = {{"alltoall/linear", {{8, 1e-6}, {1024, 2e-5}}},
                {"alltoall/bruck", {{8, 1e-5}, {1024, 1.5e-5}}}};
  return plot;
}

int CountOf(const std::string& text, const std::string& part) {
  int count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SvgPlotTest, HasLinesLegendAndLabelledAxes) {
  const auto svg = DrawSvg(TwoLines());
  ASSERT_TRUE(svg.ok()) << svg.status();
  EXPECT_THAT(*svg, ::testing::StartsWith("<svg xmlns"));
  EXPECT_THAT(*svg, ::testing::EndsWith("</svg>\n"));
  EXPECT_THAT(*svg, HasSubstr("alltoall on &lt;delta&gt;"));
  for (const char* text : {"alltoall/linear", "alltoall/bruck", "bytes of a block", ">time<",
                           ">1 KiB<", ">8 B<", ">1 µs<", ">10 µs<", ">100 µs<"}) {
    EXPECT_THAT(*svg, HasSubstr(text));
  }
}

TEST(SvgPlotTest, IsTheSameEveryTime) { EXPECT_EQ(*DrawSvg(TwoLines()), *DrawSvg(TwoLines())); }

TEST(SvgPlotTest, AxesAreLogarithmic) {
  Plot plot = TwoLines();
  plot.lines = {{"line", {{1, 1e-6}, {16, 1e-5}, {256, 1e-4}}}};
  const auto svg = DrawSvg(plot);
  ASSERT_TRUE(svg.ok());
  // Equal factors are equal distances: the three points lie on a line through the middle.
  EXPECT_THAT(*svg, HasSubstr("M84.0 428.0L364.0 238.0L644.0 48.0"));
}

TEST(SvgPlotTest, WhatHasNoPlaceIsLeftOut) {
  Plot plot = TwoLines();
  plot.lines = {
      {"zero", {{0, 1e-6}, {8, 0}, {16, -1}, {16, std::numeric_limits<double>::quiet_NaN()}}},
      {"good", {{8, 1e-6}}}};
  const auto svg = DrawSvg(plot);
  ASSERT_TRUE(svg.ok());
  EXPECT_THAT(*svg, Not(HasSubstr("nan")));
  EXPECT_THAT(*svg, Not(HasSubstr("inf")));
  plot.lines.pop_back();
  EXPECT_EQ(DrawSvg(plot).status().code(), absl::StatusCode::kFailedPrecondition);
  plot.lines.clear();
  EXPECT_EQ(DrawSvg(plot).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST(SvgPlotTest, ManyLinesDifferInColourDashAndMark) {
  Plot plot = TwoLines();
  plot.lines.clear();
  for (int i = 0; i < 20; ++i) {
    plot.lines.push_back({absl::StrCat("line ", i), {{8, 1e-6 * (i + 1)}, {1024, 1e-5 * (i + 1)}}});
  }
  const auto svg = DrawSvg(plot);
  ASSERT_TRUE(svg.ok());
  EXPECT_GT(CountOf(*svg, "stroke-dasharray=\"7 3\""), 0);
  EXPECT_GT(CountOf(*svg, "stroke-dasharray=\"2 3\""), 0);
  EXPECT_THAT(*svg, HasSubstr(">line 19<"));
}

}  // namespace
}  // namespace cox::cli
