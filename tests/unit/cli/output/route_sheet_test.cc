#include "cli/output/route_sheet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <utility>

namespace cox::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(RouteSheetTest, ShowsUnitsWhereThereAreNoSeconds) {
  v1::RecommendRoutesResponse response;
  v1::SketchedPattern* const pattern = response.add_patterns();
  for (const auto& [route, units] : {std::pair("direct", 340.0), std::pair("mesh2d", 512.0)}) {
    v1::Prediction* const prediction = pattern->add_predictions();
    prediction->set_strategy(route);
    prediction->set_model("c3");
    prediction->set_units(units);
    prediction->set_caveat("counted in units");
  }
  pattern->set_route("direct");
  std::ostringstream out;
  PrintRoutes(response, out);
  EXPECT_THAT(out.str(), HasSubstr("340 units"));
  EXPECT_THAT(out.str(), HasSubstr("512 units"));
  EXPECT_THAT(out.str(), HasSubstr("note: c3: counted in units\n"));
  EXPECT_THAT(out.str(), Not(HasSubstr("0 s")));
}

}  // namespace
}  // namespace cox::cli
