#include "bench/collective_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "strategy/benchmarked.h"

namespace cox::bench {
namespace {

TEST(CollectiveNamesTest, SuggestionsKeepToWhatCoxBenchTimes) {
  const std::vector<std::string> names = CollectiveNames();
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    const auto collective = static_cast<domain::Collective>(i);
    const std::string name = domain::CollectiveName(collective);
    EXPECT_EQ(strategy::IsBenchmarked(collective),
              std::find(names.begin(), names.end(), name) != names.end())
        << name;
  }
}

}  // namespace
}  // namespace cox::bench
