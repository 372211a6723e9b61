// Many threads at once lose nothing and never see half of a write.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine.h"
#include "scratch.h"

namespace cox::store {
namespace {

constexpr int kWriters = 4;
constexpr int kBatches = 50;
constexpr int kRows = 20;

class ConcurrencyTest : public StoreTest {};

TEST_P(ConcurrencyTest, EverybodyAtOnce) {
  const std::unique_ptr<Store> store = Open();
  ASSERT_TRUE(store->CreateMachine(MachineNamed("m"), "").ok());
  std::atomic<bool> done = false;
  std::vector<std::thread> writers;
  writers.reserve(kWriters);
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&, writer] {
      std::vector<std::future<absl::StatusOr<AppendResult>>> outcomes;
      outcomes.reserve(kBatches);
      for (int i = 0; i < kBatches; ++i) {
        outcomes.push_back(
            AppendLater(*store, BatchOf("m", absl::StrCat("job-", writer), i, kRows, i % 3)));
      }
      for (auto& outcome : outcomes) EXPECT_TRUE(outcome.get().ok());
    });
  }
  std::vector<std::thread> others;
  others.emplace_back([&] {
    for (int i = 0; !done; ++i) {
      const std::string name = absl::StrCat("brief-", i % 3);
      EXPECT_TRUE(store->CreateMachine(MachineNamed(name), "").ok());
      EXPECT_TRUE(Append(*store, BatchOf(name, "brief", i, 3)).ok());
      ProfileRecord profile;
      profile.machine = name;
      profile.provenance = "edited";
      EXPECT_EQ(store->AddProfile(profile, "")->revision, 1);
      EXPECT_TRUE(store->Forget({Reporter::Kind::kJob, "brief"}).ok());
      EXPECT_TRUE(store->DeleteMachine(name).ok());
    }
  });
  // More readers than connections.
  for (int reader = 0; reader < 6; ++reader) {
    others.emplace_back([&] {
      int64_t last_seen = 0;
      while (!done) {
        const auto count = store->CountObservations({.machine = "m", .job = ""});
        ASSERT_TRUE(count.ok()) << count.status();
        EXPECT_EQ(count->observation_count % kRows, 0) << "half a batch";
        EXPECT_GE(count->observation_count, last_seen);
        last_seen = count->observation_count;
        ASSERT_TRUE(store->ListObservations({.machine = "m", .job = ""}, last_seen, 10).ok());
        ASSERT_TRUE(store->ListCells("m").ok());
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(store->CountObservations({})->observation_count, kWriters * kBatches * kRows);
}

COX_ON_EACH_ENGINE(ConcurrencyTest);

}  // namespace
}  // namespace cox::store
