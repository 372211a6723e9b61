// SIGKILL at each point at which a store changes its files: before a write or a sync of the
// database, its log or a backup, before a file is cut or deleted, and after each sync, which is
// just before an acknowledgement; in each step of a store's life.
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "faulty_disk.h"
#include "repeats.h"
#include "scratch.h"
#include "sqlite/store_life.h"

namespace cox::store {
namespace {

// "ingest: before a sync of the log"; "" for calls that change nothing.
std::string PointOf(const std::string& step, const DiskCall& call, bool is_done) {
  const char* const file = call.IsOfLog()                           ? "the log"
                           : absl::StrContains(call.path, "backup") ? "the backup"
                           : absl::EndsWith(call.path, "-journal")  ? "a journal"
                                                                    : "the database";
  switch (call.kind) {
    case DiskCall::Kind::kWrite:
      return is_done ? "" : absl::StrCat(step, ": before a write of ", file);
    case DiskCall::Kind::kSync:
      return absl::StrCat(step, is_done ? ": after" : ": before", " a sync of ", file);
    case DiskCall::Kind::kTruncate:
      return is_done ? "" : absl::StrCat(step, ": before ", file, " is cut");
    case DiskCall::Kind::kDelete:
      return is_done ? "" : absl::StrCat(step, ": before ", file, " is deleted");
    default:
      return "";
  }
}

// Lives once, and hears of the points that it passes.
int64_t LiveWatched(const std::string& directory, int64_t first,
                    const std::function<void(int64_t)>& acknowledged,
                    const std::function<void(const std::string&)>& passes) {
  FaultyDisk disk;
  std::mutex mutex;
  std::string step = "migrate";
  disk.Watch([&](const DiskCall& call, bool is_done) {
    const std::lock_guard lock(mutex);
    if (const std::string point = PointOf(step, call, is_done); !point.empty()) passes(point);
    return SQLITE_OK;
  });
  LifeWitness witness;
  witness.begins = [&](const std::string& name) {
    const std::lock_guard lock(mutex);
    step = name;
  };
  witness.acknowledged = acknowledged;
  witness.failed = [](const std::string& name, const absl::Status& status) {
    ADD_FAILURE() << name << ": " << status;
  };
  return LiveOnce(directory, first, witness);
}

TEST(KillPointsTest, NothingAcknowledgedIsLostWhereverItIsKilled) {
  // How often a life passes each point: the first one, which makes the database, and a later one.
  std::map<std::string, int> points[2];
  {
    const ScratchDirectory directory;
    int64_t next = 0;
    for (auto& of_life : points) {
      next = LiveWatched(
          directory.path() + "/data", next, [](int64_t) {},
          [&of_life](const std::string& point) { ++of_life[point]; });
    }
  }
  std::set<std::string> names;
  for (const auto& of_life : points) {
    for (const auto& [name, count] : of_life) names.insert(name);
  }
  EXPECT_GE(names.size(), 25u);

  // Each kill takes the next point of a shuffled list; which passage of it is at random.
  std::mt19937 random(20'261'123);
  std::vector<std::pair<int, std::string>> turns;
  for (int life = 0; life < 2; ++life) {
    for (const auto& [name, count] : points[life]) turns.emplace_back(life, name);
  }
  std::shuffle(turns.begin(), turns.end(), random);
  const int kills = Repeats(20);
  int killed = 0;
  for (int i = 0; i < kills; ++i) {
    const auto& [life, name] = turns[static_cast<size_t>(i) % turns.size()];
    const int passage = 1 + static_cast<int>(random() % static_cast<unsigned>(points[life][name]));
    const ScratchDirectory directory;
    const std::string data = directory.path() + "/data";
    std::set<int64_t> acknowledged;
    int64_t next = 0;
    if (life == 1) {
      next =
          LiveOnce(data, 0, {.acknowledged = [&](int64_t batch) { acknowledged.insert(batch); }});
    }
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      int passed = 0;
      LiveWatched(
          data, next,
          [&ends](int64_t batch) {
            if (write(ends[1], &batch, sizeof(batch)) != sizeof(batch)) _exit(3);
          },
          [&](const std::string& point) {
            if (point == name && ++passed == passage) kill(getpid(), SIGKILL);
          });
      _exit(0);
    }
    close(ends[1]);
    int64_t batch = 0;
    while (read(ends[0], &batch, sizeof(batch)) == sizeof(batch)) acknowledged.insert(batch);
    close(ends[0]);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) ++killed;
    ASSERT_EQ(CheckLife(data, acknowledged), "")
        << "killed at \"" << name << "\", passage " << passage << ", life " << life;
  }
  // Groups differ from life to life, so a late passage may not come.
  EXPECT_GE(killed, kills * 9 / 10);
  RecordProperty("points", static_cast<int>(names.size()));
  RecordProperty("kills", killed);
}

}  // namespace
}  // namespace cox::store
