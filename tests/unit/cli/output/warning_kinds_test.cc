#include "cli/output/warning_kinds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cox::cli {
namespace {

using ::testing::ElementsAre;

TEST(FoldWarningsTest, CountsAKindAndNamesItsModelsOnce) {
  EXPECT_THAT(
      FoldWarnings({"loggp at level network: these samples do not show g; it is left out",
                    "logp at level network: these samples do not show g, without which it cannot "
                    "be priced",
                    "cluster at level node: these samples do not show g_s_byte; it is left out",
                    "cluster at level node: these samples do not show g_r_byte; it is left out"}),
      ElementsAre("3 parameters are left out, because these samples do not show them "
                  "(loggp, cluster)",
                  "logp at level network: these samples do not show g, without which it cannot be "
                  "priced"));
}

TEST(FoldWarningsTest, KeepsWhatItDoesNotKnow) {
  EXPECT_THAT(FoldWarnings({"7 samples are not used", "7 samples are not used"}),
              ElementsAre("7 samples are not used", "7 samples are not used"));
  EXPECT_THAT(FoldWarnings({}), ElementsAre());
}

}  // namespace
}  // namespace cox::cli
