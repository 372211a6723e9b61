#include "accuracy_table.h"

#include <cmath>
#include <vector>

#include "domain/errors.h"
#include "gtest/gtest.h"

namespace cox::golden {
namespace {

const std::vector<AccuracySample> kSamples = {
    {"bitonic sort", "BSP", "Paragon", 167, 513}, {"bitonic sort", "BSP", "Paragon", 100, 110},
    {"matmul", "BSP", "GCel", 1, 1.19},           {"bitonic sort", "BPRAM", "GCel", 1.068, 1},
    {"matmul", "BPRAM", "Paragon", 0, 1},
};

TEST(AccuracyTable, HoldsTheLargestErrorOfEachCell) {
  const AccuracyTable table = *MakeAccuracyTable(kSamples);
  ASSERT_EQ(table.machines, (std::vector<std::string>{"Paragon", "GCel"}));
  ASSERT_EQ(table.rows.size(), 4u);
  EXPECT_EQ(table.rows[0].algorithm, "bitonic sort");
  EXPECT_EQ(table.rows[0].model, "BSP");
  EXPECT_NEAR(table.rows[0].cells[0]->max_error, 2.0718, 1e-4);
  EXPECT_EQ(table.rows[0].cells[0]->samples_count, 2);
  EXPECT_FALSE(table.rows[0].cells[1].has_value());
  EXPECT_EQ(table.rows[1].model, "BPRAM");
  EXPECT_TRUE(std::isinf(table.rows[3].cells[0]->max_error));
}

TEST(AccuracyTable, IsWrittenAsTheCommandLineShowsIt) {
  EXPECT_EQ(FormatAccuracyTable(*MakeAccuracyTable(kSamples)),
            "algorithm     model  Paragon      GCel\n"
            "bitonic sort  BSP    207 %        -\n"
            "bitonic sort  BPRAM  -            6.8 %\n"
            "matmul        BSP    -            19 %\n"
            "matmul        BPRAM  not defined  -\n");
}

TEST(AccuracyTable, OfNothingIsEmpty) {
  const AccuracyTable table = *MakeAccuracyTable({});
  EXPECT_TRUE(table.machines.empty());
  EXPECT_TRUE(table.rows.empty());
}

TEST(AccuracyTable, NamesTheSampleAtFault) {
  std::vector<AccuracySample> samples = kSamples;
  samples[2].measured = -1;
  EXPECT_EQ(domain::FieldOf(MakeAccuracyTable(samples).status()), "samples[2].measured");
  samples[1].machine.clear();
  EXPECT_EQ(domain::FieldOf(MakeAccuracyTable(samples).status()), "samples[1].machine");
}

}  // namespace
}  // namespace cox::golden
