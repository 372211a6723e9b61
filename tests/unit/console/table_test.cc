#include "console/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace cox::console {
namespace {

TEST(TableTest, AlignsByWhatIsSeen) {
  Table table({{"NAME"}, {"TIME", Align::kRight}, {"NOTE"}});
  table.Add({"a", "1 µs", "x\n\x1b[31my"});
  table.Add({"longer", "100 µs"});
  std::ostringstream out;
  table.Print(out);
  EXPECT_EQ(out.str(),
            "NAME      TIME  NOTE\n"
            "a         1 µs  x??[31my\n"
            "longer  100 µs\n");
}

}  // namespace
}  // namespace cox::console
