#include "faulty_disk.h"

#include <sqlite3.h>

#include <atomic>
#include <map>
#include <mutex>
#include <utility>

namespace cox::store {
namespace {

std::atomic<int64_t> writes_left{-1};
std::atomic<bool> fail_log_syncs{false};
std::atomic<int64_t> log_syncs{0};
std::atomic<int64_t> reads{0};
std::mutex hook_mutex;
std::function<void()> hook;

// The real layer opens the file, with a table of functions of its choice. Its place is taken by a
// copy of that table in which a few functions are ours. Files differ in the table they came with
// and in whether they are a log, so there are a few copies.
struct Table {
  sqlite3_io_methods ours;
  const sqlite3_io_methods* real;
};
std::mutex tables_mutex;
std::map<std::pair<const sqlite3_io_methods*, bool>, Table> tables;

sqlite3_vfs* real_layer = nullptr;
sqlite3_vfs our_layer;

const sqlite3_io_methods& RealOf(const sqlite3_file* file) {
  // `ours` is the first member.
  return *reinterpret_cast<const Table*>(file->pMethods)->real;
}

int Read(sqlite3_file* file, void* to, int bytes, sqlite3_int64 offset) {
  ++reads;
  return RealOf(file).xRead(file, to, bytes, offset);
}

int Write(sqlite3_file* file, const void* from, int bytes, sqlite3_int64 offset) {
  int64_t left = writes_left.load();
  while (left > 0 && !writes_left.compare_exchange_weak(left, left - 1)) {
  }
  if (left == 0) return SQLITE_FULL;
  return RealOf(file).xWrite(file, from, bytes, offset);
}

int SyncLog(sqlite3_file* file, int flags) {
  std::function<void()> run;
  {
    const std::lock_guard lock(hook_mutex);
    run = std::exchange(hook, {});
  }
  if (run) run();
  if (fail_log_syncs) return SQLITE_IOERR_FSYNC;
  const int code = RealOf(file).xSync(file, flags);
  ++log_syncs;
  return code;
}

int Open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out_flags) {
  const int code = real_layer->xOpen(real_layer, name, file, flags, out_flags);
  if (code != SQLITE_OK) return code;
  const bool is_log = (flags & SQLITE_OPEN_WAL) != 0;
  const std::lock_guard lock(tables_mutex);
  const auto [it, is_new] = tables.try_emplace({file->pMethods, is_log});
  Table& table = it->second;
  if (is_new) {
    table = {*file->pMethods, file->pMethods};
    table.ours.xRead = Read;
    table.ours.xWrite = Write;
    if (is_log) table.ours.xSync = SyncLog;
  }
  file->pMethods = &table.ours;
  return SQLITE_OK;
}

}  // namespace

FaultyDisk::FaultyDisk() {
  real_layer = sqlite3_vfs_find(nullptr);
  our_layer = *real_layer;
  our_layer.zName = "faulty";
  our_layer.pNext = nullptr;
  our_layer.xOpen = Open;
  sqlite3_vfs_register(&our_layer, 1);
  log_syncs = 0;
  reads = 0;
}

FaultyDisk::~FaultyDisk() {
  FailWritesAfter(-1);
  FailLogSyncs(false);
  BeforeNextLogSync({});
  sqlite3_vfs_unregister(&our_layer);
  sqlite3_vfs_register(real_layer, 1);
}

void FaultyDisk::FailWritesAfter(int64_t count) { writes_left = count; }

void FaultyDisk::FailLogSyncs(bool fail) { fail_log_syncs = fail; }

void FaultyDisk::BeforeNextLogSync(std::function<void()> new_hook) {
  const std::lock_guard lock(hook_mutex);
  hook = std::move(new_hook);
}

int64_t FaultyDisk::log_sync_count() const { return log_syncs; }

int64_t FaultyDisk::read_count() const { return reads; }

}  // namespace cox::store
