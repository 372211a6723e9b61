#include "faulty_disk.h"

#include <sqlite3.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "absl/strings/match.h"

namespace cox::store {
namespace {

using Kind = DiskCall::Kind;

std::atomic<int64_t> writes_left{-1};
std::atomic<bool> fail_log_syncs{false};
std::atomic<int64_t> log_syncs{0};
std::atomic<int64_t> reads{0};
std::mutex hook_mutex;
std::function<void()> hook;
FaultyDisk::Watcher watcher;

// The real layer opens the file, with a table of functions of its choice. Its place is taken by a
// copy of that table in which a few functions are ours.
struct Table {
  sqlite3_io_methods ours;
  const sqlite3_io_methods* real;
};
std::mutex tables_mutex;
std::map<const sqlite3_io_methods*, Table> tables;
std::map<const sqlite3_file*, std::string> paths;  // of open files

sqlite3_vfs* real_layer = nullptr;
sqlite3_vfs our_layer;

const sqlite3_io_methods& RealOf(const sqlite3_file* file) {
  // `ours` is the first member.
  return *reinterpret_cast<const Table*>(file->pMethods)->real;
}

std::string PathOf(const sqlite3_file* file) {
  const std::lock_guard lock(tables_mutex);
  const auto it = paths.find(file);
  return it == paths.end() ? "" : it->second;
}

// `run` between what the watcher is asked and told.
template <typename Run>
int Watched(const DiskCall& call, const Run& run) {
  if (watcher) {
    if (const int code = watcher(call, false); code != SQLITE_OK) return code;
  }
  const int code = run();
  if (watcher && code == SQLITE_OK) watcher(call, true);
  return code;
}

int Read(sqlite3_file* file, void* to, int bytes, sqlite3_int64 offset) {
  ++reads;
  const std::string path = PathOf(file);
  return Watched({Kind::kRead, path, offset},
                 [&] { return RealOf(file).xRead(file, to, bytes, offset); });
}

int Write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 offset) {
  int64_t left = writes_left.load();
  while (left > 0 && !writes_left.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0) return SQLITE_FULL;
  const std::string path = PathOf(file);
  const absl::string_view written(static_cast<const char*>(from), static_cast<size_t>(bytes));
  return Watched({Kind::kWrite, path, offset, written},
                 [&] { return RealOf(file).xWrite(file, from, bytes, offset); });
}

int Truncate(sqlite3_file* file, sqlite3_int64 bytes) {
  const std::string path = PathOf(file);
  return Watched({Kind::kTruncate, path, bytes},
                 [&] { return RealOf(file).xTruncate(file, bytes); });
}

int Size(sqlite3_file* file, sqlite3_int64* bytes) {
  const std::string path = PathOf(file);
  return Watched({Kind::kSize, path}, [&] { return RealOf(file).xFileSize(file, bytes); });
}

int Sync(sqlite3_file* file, int flags) {
  const std::string path = PathOf(file);
  const DiskCall call = {Kind::kSync, path};
  if (call.IsOfLog()) {
    std::function<void()> run;
    {
      const std::lock_guard lock(hook_mutex);
      run = std::exchange(hook, {});
    }
    if (run) run();
    if (fail_log_syncs) return SQLITE_IOERR_FSYNC;
  }
  const int code = Watched(call, [&] { return RealOf(file).xSync(file, flags); });
  if (call.IsOfLog()) ++log_syncs;
  return code;
}

int Close(sqlite3_file* file) {
  const sqlite3_io_methods& real = RealOf(file);
  {
    const std::lock_guard lock(tables_mutex);
    paths.erase(file);
  }
  return real.xClose(file);
}

int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  const std::string path = name == nullptr ? "" : name;
  file->pMethods = nullptr;  // SQLite closes a file only if it has them
  return Watched({Kind::kOpen, path}, [&] {
    const int code = real_layer->xOpen(real_layer, name, file, flags, out_flags);
    if (code != SQLITE_OK) return code;
    const std::lock_guard lock(tables_mutex);
    const auto [it, is_new] = tables.try_emplace(file->pMethods);
    Table& table = it->second;
    if (is_new) {
      table = {*file->pMethods, file->pMethods};
      table.ours.xClose = Close;
      table.ours.xRead = Read;
      table.ours.xWrite = Write;
      table.ours.xTruncate = Truncate;
      table.ours.xSync = Sync;
      table.ours.xFileSize = Size;
    }
    file->pMethods = &table.ours;
    paths[file] = path;
    return SQLITE_OK;
  });
}

int Delete(sqlite3_vfs*, const char* name, int sync_folder) {
  return Watched({Kind::kDelete, name},
                 [&] { return real_layer->xDelete(real_layer, name, sync_folder); });
}

}  // namespace

bool DiskCall::IsOfLog() const { return absl::EndsWith(path, "-wal"); }

FaultyDisk::FaultyDisk() {
  sqlite3_initialize();
  real_layer = sqlite3_vfs_find(nullptr);
  our_layer = *real_layer;
  our_layer.zName = "faulty";
  our_layer.pNext = nullptr;
  our_layer.xOpen = Open;
  our_layer.xDelete = Delete;
  sqlite3_vfs_register(&our_layer, 1);
  log_syncs = 0;
  reads = 0;
}

FaultyDisk::~FaultyDisk() {
  FailWritesAfter(-1);
  FailLogSyncs(false);
  BeforeNextLogSync({});
  Watch({});
  sqlite3_vfs_unregister(&our_layer);
  sqlite3_vfs_register(real_layer, 1);
}

void FaultyDisk::FailWritesAfter(int64_t count) { writes_left = count; }

void FaultyDisk::FailLogSyncs(bool fail) { fail_log_syncs = fail; }

void FaultyDisk::BeforeNextLogSync(std::function<void()> new_hook) {
  const std::lock_guard lock(hook_mutex);
  hook = std::move(new_hook);
}

void FaultyDisk::Watch(Watcher new_watcher) { watcher = std::move(new_watcher); }

int64_t FaultyDisk::log_sync_count() const { return log_syncs; }

int64_t FaultyDisk::read_count() const { return reads; }

}  // namespace cox::store
