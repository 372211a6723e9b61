// What C3 says about a time that is not all of its units.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "model/model.h"
#include "model/schedule.h"

namespace cox::model {
namespace {

TEST(C3Caveat, SaysWhichUnitsAreNotInTheTime) {
  const Model& c3 = **FindModel("c3");
  const auto values = [&](double compute_unit_time) {
    std::vector<double> all;
    for (const ParameterSpec& spec : c3.parameters()) {
      all.push_back(spec.name == "l"                   ? 512
                    : spec.name == "unit_time"         ? 1e-6
                    : spec.name == "compute_unit_time" ? compute_unit_time
                                                       : 0);
    }
    return all;
  };
  Schedule schedule;
  schedule.Clear({4, 1, 1});
  Phase& phase = schedule.Add();
  phase.times = 3;
  phase.work.copied_bytes = 1024;
  const std::vector<double> without = values(0);
  EXPECT_EQ(c3.Price(without, schedule).units, 6);
  EXPECT_EQ(c3.Price(without, schedule).TotalSeconds(), 0);
  EXPECT_THAT(c3.Caveat(without, schedule), ::testing::HasSubstr("leaves out 6 units"));
  const std::vector<double> with = values(2e-6);
  EXPECT_DOUBLE_EQ(c3.Price(with, schedule).TotalSeconds(), 12e-6);
  EXPECT_EQ(c3.Caveat(with, schedule), "");
}

}  // namespace
}  // namespace cox::model
