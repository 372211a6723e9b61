#include "library/aliases.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/libraries.h"

namespace cox::library {
namespace {

using domain::Collective;

TEST(AliasesTest, EachIsAnotherNameOfARowAndNoRowsOwn) {
  for (const Alias& alias : Aliases()) {
    for (const Library& library : Libraries()) {
      if (!absl::StartsWith(library.name, alias.family)) continue;
      EXPECT_EQ(FindAlgorithm(library.name, alias.collective, alias.alias), nullptr) << alias.alias;
      const Algorithm* row = FindByAnyName(library.name, alias.collective, alias.alias);
      ASSERT_NE(row, nullptr) << library.name << " " << alias.alias;
      EXPECT_EQ(row->native_name, alias.native_name);
    }
  }
}

TEST(AliasesTest, ANativeNameIsFoundAsItselfAndAnUnknownOneIsNot) {
  for (const Algorithm& row : AlgorithmsOf("openmpi-4.1")) {
    EXPECT_EQ(FindByAnyName("openmpi-4.1", row.collective, row.native_name), &row);
  }
  EXPECT_EQ(FindByAnyName("openmpi-4.1", Collective::kScatter, "linear")->native_id, 1);
  EXPECT_EQ(FindByAnyName("openmpi-4.1", Collective::kScatter, "no_such"), nullptr);
  EXPECT_EQ(FindByAnyName("another", Collective::kScatter, "linear"), nullptr);
}

}  // namespace
}  // namespace cox::library
