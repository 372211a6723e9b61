// Power loss: of what was not synced, a disk keeps any part, in any order, and of a write any
// sectors. Whatever it keeps, no acknowledged batch is lost and the database is sound.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "faulty_disk.h"
#include "repeats.h"
#include "scratch.h"
#include "sqlite/store_life.h"

namespace cox::store {
namespace {

constexpr size_t kSectorBytes = 512;

// What happened on the disk, in order. An acknowledgement is an event, too.
struct Event {
  enum class Kind { kOpen, kWrite, kTruncate, kSync, kDelete, kAcknowledge };
  Kind kind;
  std::string path;
  int64_t offset = 0;  // or the length, or the batch
  std::string bytes;
};

void Apply(const Event& event, std::string* content) {
  const auto offset = static_cast<size_t>(event.offset);
  if (event.kind == Event::Kind::kTruncate) {
    content->resize(offset);
  } else {
    content->resize(std::max(content->size(), offset + event.bytes.size()));
    content->replace(offset, event.bytes.size(), event.bytes);
  }
}

// The part of a write that reached the disk, sector by sector.
void ApplyTorn(const Event& event, std::mt19937& random, std::string* content) {
  if (event.kind == Event::Kind::kTruncate) {
    Apply(event, content);
    return;
  }
  for (size_t at = 0; at < event.bytes.size();) {
    const size_t place = static_cast<size_t>(event.offset) + at;
    const size_t length = std::min(event.bytes.size() - at, kSectorBytes - place % kSectorBytes);
    if (random() % 2 == 0) {
      Apply({Event::Kind::kWrite, "", static_cast<int64_t>(place), event.bytes.substr(at, length)},
            content);
    }
    at += length;
  }
}

// A disk on which the events happen.
class Disk {
 public:
  void Happen(const Event& event) {
    File& file = files_[event.path];
    switch (event.kind) {
      case Event::Kind::kAcknowledge:
        acknowledged_.insert(event.offset);
        return;
      case Event::Kind::kOpen:
        // A new database is made under another name, and the folder is synced after the renaming,
        // which this disk does not see.
        if (const auto made = files_.find(event.path + ".new"); made != files_.end()) {
          file.synced = made->second.synced;
          files_.erase(made);
        }
        return;
      case Event::Kind::kDelete:
        // Comes late at most: a sync of any file writes the file system's journal up to it.
        file.deleted = file.synced;
        file.synced.reset();
        file.pending.clear();
        return;
      case Event::Kind::kSync:
        if (!file.synced) file.synced = "";
        for (const Event& pending : file.pending) Apply(pending, &*file.synced);
        file.pending.clear();
        for (auto& [path, other] : files_) other.deleted.reset();
        return;
      default:
        file.pending.push_back(event);
    }
  }

  // Writes what is there after the power was lost.
  void Lose(std::mt19937& random, const std::string& from, const std::string& to) const {
    for (const auto& [path, file] : files_) {
      std::optional<std::string> content = file.synced;
      std::vector<Event> kept;
      for (const Event& event : file.pending) {
        if (random() % 2 == 0) kept.push_back(event);
      }
      std::shuffle(kept.begin(), kept.end(), random);
      if (!kept.empty() && !content) content = "";
      for (const Event& event : kept) {
        if (random() % 4 == 0) {
          ApplyTorn(event, random, &*content);
        } else {
          Apply(event, &*content);
        }
      }
      if (!content && file.deleted && random() % 2 == 0) content = file.deleted;
      if (!content || !absl::StartsWith(path, from)) continue;
      const std::string target = to + path.substr(from.size());
      std::filesystem::create_directories(std::filesystem::path(target).parent_path());
      std::ofstream(target, std::ios::binary) << *content;
    }
  }
  const std::set<int64_t>& acknowledged() const { return acknowledged_; }

 private:
  struct File {
    std::optional<std::string> synced;   // nothing: it is not there for sure
    std::vector<Event> pending;          // since the last sync
    std::optional<std::string> deleted;  // what it had, while the deletion may be undone
  };
  std::map<std::string, File> files_;
  std::set<int64_t> acknowledged_;
};

std::vector<Event> Record(const std::string& data) {
  std::vector<Event> events;
  std::mutex mutex;
  FaultyDisk disk;
  disk.Watch([&](const DiskCall& call, bool is_done) {
    static const std::map<DiskCall::Kind, Event::Kind> kKinds = {
        {DiskCall::Kind::kOpen, Event::Kind::kOpen},
        {DiskCall::Kind::kWrite, Event::Kind::kWrite},
        {DiskCall::Kind::kTruncate, Event::Kind::kTruncate},
        {DiskCall::Kind::kSync, Event::Kind::kSync},
        {DiskCall::Kind::kDelete, Event::Kind::kDelete}};
    const auto kind = kKinds.find(call.kind);
    if (!is_done || kind == kKinds.end()) return SQLITE_OK;
    const std::lock_guard lock(mutex);
    events.push_back({kind->second, std::string(call.path), call.offset, std::string(call.bytes)});
    return SQLITE_OK;
  });
  int64_t next = 0;
  for (int life = 0; life < 4; ++life) {
    next = LiveOnce(
        data, next,
        {.acknowledged =
             [&](int64_t batch) {
               const std::lock_guard lock(mutex);
               events.push_back({Event::Kind::kAcknowledge, "", batch, ""});
             },
         .failed = [](const std::string& step,
                      const absl::Status& status) { ADD_FAILURE() << step << ": " << status; }});
  }
  return events;
}

TEST(PowerLossTest, NoAcknowledgedBatchIsLost) {
  const ScratchDirectory directory;
  const std::string data = directory.path() + "/data";
  const std::vector<Event> events = Record(data);
  ASSERT_GT(events.size(), 500u);
  std::mt19937 random(20'261'124);
  std::vector<size_t> moments(static_cast<size_t>(Repeats(60)));
  for (size_t& moment : moments) moment = random() % events.size();
  std::sort(moments.begin(), moments.end());
  Disk disk;
  size_t happened = 0;
  int with_batches = 0;
  for (const size_t moment : moments) {
    for (; happened < moment; ++happened) disk.Happen(events[happened]);
    const ScratchDirectory after;
    disk.Lose(random, data, after.path() + "/data");
    ASSERT_EQ(CheckLife(after.path() + "/data", disk.acknowledged()), "")
        << "power lost after event " << moment << " of " << events.size();
    if (!disk.acknowledged().empty()) ++with_batches;
  }
  EXPECT_GT(with_batches, 0);
  RecordProperty("schedules", static_cast<int>(moments.size()));
  RecordProperty("events", static_cast<int>(events.size()));
}

// The test would find a store that acknowledges before it syncs.
TEST(PowerLossTest, FindsALossIfSyncsDoNothing) {
  const ScratchDirectory directory;
  const std::string data = directory.path() + "/data";
  const std::vector<Event> events = Record(data);
  Disk disk;
  for (const Event& event : events) {
    if (event.kind != Event::Kind::kSync) disk.Happen(event);
  }
  std::mt19937 random(1);
  const ScratchDirectory after;
  disk.Lose(random, data, after.path() + "/data");
  EXPECT_NE(CheckLife(after.path() + "/data", disk.acknowledged()), "");
}

}  // namespace
}  // namespace cox::store
