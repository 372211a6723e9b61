#include "advise/kernel.h"

#include <gtest/gtest.h>

#include "domain/errors.h"
#include "every_model.h"

namespace cox::advise {
namespace {

TEST(KernelTest, ReadsTheWrittenForm) {
  const auto plain = ParseKernel("sample-sort");
  ASSERT_TRUE(plain.ok()) << plain.status();
  EXPECT_EQ(plain->kernel->variant, "bsp");
  const auto full = ParseKernel("sample-sort?variant=ssdr&oversampling=64&largest_bucket=4096");
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_EQ(full->kernel->variant, "ssdr");
  EXPECT_EQ(full->oversampling, 64);
  EXPECT_EQ(full->largest_bucket, 4096);
  EXPECT_EQ(ParseKernel("quick-sort").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ParseKernel("").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ParseKernel("sample-sort?variant=none").status().code(), absl::StatusCode::kNotFound);
  for (const char* text :
       {"sample-sort?depth=1", "sample-sort?oversampling=-1",
        "sample-sort?oversampling=", "sample-sort?oversampling", "sample-sort?oversampling=0",
        "matmul-3d?oversampling=3", "bitonic-sort?variant=words&largest_bucket=4096"}) {
    EXPECT_EQ(domain::FieldOf(ParseKernel(text).status()), "kernel") << text;
  }
}

TEST(KernelTest, IsPricedByEveryModel) {
  const MachinePointer machine = EveryModelsMachine();
  const auto answer = EvaluateKernel(
      *machine, {.kernel = "matmul-cannon", .size = 256, .ranks = 16, .model = "all"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->predictions.size(), model::Models().size());
  for (const Prediction& prediction : answer->predictions) {
    EXPECT_GT(Amount(prediction.cost), 0) << prediction.model;
    EXPECT_EQ(prediction.strategy, "matmul-cannon");
  }
  EXPECT_GT(answer->communication_phase_count, 0);
  EXPECT_DOUBLE_EQ(answer->operations, 2.0 * 256 * 256 * 256 / 16);
}

TEST(KernelTest, SaysThatLocalWorkIsLeftOut) {
  const KernelQuestion question{.kernel = "matmul-3d", .size = 128, .ranks = 64, .model = "bsp"};
  const auto without = EvaluateKernel(*EveryModelsMachine(), question);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->predictions[0].caveat,
            "without the local work, 65536 operations of each rank: the profile states no time of "
            "one (bsp.self.operation)");
  domain::Profile profile = EveryModelsProfile();
  profile.Set(learn::MakeParameter("bsp", domain::Level::kSelf, "operation", 1e-9));
  const auto with = EvaluateKernel(*MachineWith({}, profile), question);
  ASSERT_TRUE(with.ok()) << with.status();
  EXPECT_EQ(with->predictions[0].caveat, "");
  EXPECT_NEAR(with->predictions[0].cost.TotalSeconds(),
              without->predictions[0].cost.TotalSeconds() + 65536e-9, 1e-15);
}

TEST(KernelTest, OneRankOnlyComputes) {
  const MachinePointer machine = EveryModelsMachine();
  const auto answer = EvaluateKernel(
      *machine, {.kernel = "bitonic-sort", .size = 1024, .ranks = 1, .model = "bsp"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->communication_phase_count, 0);
  EXPECT_GT(answer->operations, 0);
}

TEST(KernelTest, WhatIsWrongIsNamed) {
  const MachinePointer machine = EveryModelsMachine();
  const auto status = [&](auto spoil) {
    KernelQuestion question{.kernel = "sample-sort", .size = 1024, .ranks = 16, .model = "bsp"};
    spoil(&question);
    return EvaluateKernel(*machine, question).status();
  };
  const auto field = [&](auto spoil) { return domain::FieldOf(status(spoil)); };
  EXPECT_EQ(field([](auto* q) { q->size = 0; }), "size");
  EXPECT_EQ(field([](auto* q) { q->size = int64_t{1} << 60; }), "size");
  EXPECT_EQ(field([](auto* q) { q->ranks = 0; }), "ranks");
  EXPECT_EQ(field([](auto* q) { q->word_bytes = -1; }), "word_bytes");
  EXPECT_EQ(field([](auto* q) { q->kernel = "sample-sort?largest_bucket=5"; }), "kernel");
  EXPECT_EQ(status([](auto* q) { q->size = 1023; }).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(status([](auto* q) { q->model = "none"; }).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status([](auto* q) { q->kernel = "matmul-3d"; }).message(),
            "matmul-3d needs a cube of ranks (1, 8, 27, 64, ...), not 16");
}

}  // namespace
}  // namespace cox::advise
