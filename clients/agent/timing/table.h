// One rank's table of timings: a fixed number of entries in shared memory. The rank and the node's
// draining thread both map it; that thread may be in another process. The table never grows: a
// timing without room counts as dropped. Besides sums an entry keeps the latest timings, which
// stream/estimator.h needs to separate a collective's time from waiting.
//
// The table has two halves. Ranks add to the active one. Swap() activates the other one and gives
// the full one to the drainer, who alone uses it until it returns it empty with Clear().
//
// Threads: Add, Drop and Swap from any thread of any process; Clear and the entries of the half
// that Swap returned only by the drainer. A lock guards the active half.
// Failures: none; `dropped` counts what Add could not keep.
#ifndef COX_AGENT_TIMING_TABLE_H_
#define COX_AGENT_TIMING_TABLE_H_

#include <atomic>
#include <cstdint>
#include <cstring>

#include "agent/timing/collectives.h"
#include "agent/timing/sketches.h"
#include "agent/timing/spin_lock.h"
#include "agent/timing/totals.h"
#include "domain/collective.h"

namespace cox::agent {

// How a timing was taken, see synchronise.h.
enum class Origin : uint8_t {
  kPassive,
  kSynchronised,  // a synchronised sample; one rank reports it
  kPeer,          // of a steered call that is compared with a canary, see canaries.h
  kCanary,        // of a steered call that runs the library's default, see canaries.h
};

// Timings with equal keys are summed. Two words, so that comparing is cheap.
struct Key {
  uint64_t block_bytes;
  uint64_t rest;  // ranks << 32 | type_bytes << 12 | number << 7 | origin << 5 | collective

  static constexpr uint64_t kMaxTypeBytes = (uint64_t{1} << 20) - 1;
  // ranks in 1..2^31-1; type_bytes is cut to kMaxTypeBytes. `number`: the selected algorithm,
  // 0..31, see steering.h.
  static Key Make(domain::Collective collective, int64_t ranks, int64_t block_bytes,
                  int64_t type_bytes, Origin origin = Origin::kPassive, int number = 0) {
    uint64_t type = static_cast<uint64_t>(type_bytes);
    if (type > kMaxTypeBytes) type = kMaxTypeBytes;
    return {static_cast<uint64_t>(block_bytes),
            static_cast<uint64_t>(ranks) << 32 | type << 12 | static_cast<uint64_t>(number) << 7 |
                static_cast<uint64_t>(origin) << 5 | static_cast<uint64_t>(collective)};
  }
  domain::Collective collective() const { return static_cast<domain::Collective>(rest & 0x1f); }
  Origin origin() const { return static_cast<Origin>(rest >> 5 & 3); }
  int number() const { return static_cast<int>(rest >> 7 & 0x1f); }
  int64_t ranks() const { return static_cast<int64_t>(rest >> 32); }
  int64_t type_bytes() const { return static_cast<int64_t>(rest >> 12 & kMaxTypeBytes); }
};

struct Entry {
  static constexpr int kRecent = 32;  // a power of two

  Key key;
  uint64_t count;
  uint64_t sum_ns;
  double sum_squares_ns2;
  // The latest timings, in a ring: the next one goes to count % kRecent.
  float recent_ns[kRecent];
};

class Table {
 public:
  static constexpr int kEntries = 1024;
  static constexpr int kBuckets = 2 * kEntries;           // a power of two
  static constexpr uint64_t kMagic = 0x36656c6261786f63;  // "coxable6": the layout's version

  struct Half {
    uint64_t dropped;           // timings without room, or that cannot be reported
    uint32_t used;              // entries [0, used) are filled
    uint16_t bucket[kBuckets];  // 0: empty, else 1 + the number of an entry
    Entry entry[kEntries];
  };

  // The memory must be all zero.
  void Initialise() { magic_ = kMagic; }
  bool valid() const { return magic_ == kMagic; }

  void Add(Key key, uint64_t time_ns) {
    if (!lock_.Lock()) {
      missed_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    Half& half = half_[active_];
    Entry* entry = Find(half, key);
    if (entry == nullptr) {
      ++half.dropped;
    } else {
      const double time = static_cast<double>(time_ns);
      entry->recent_ns[entry->count++ & (Entry::kRecent - 1)] = static_cast<float>(time);
      entry->sum_ns += time_ns;
      entry->sum_squares_ns2 += time * time;
    }
    lock_.Unlock();
  }

  // Totals that are only counted.
  Totals& totals() { return totals_; }

  // Whom this rank sends how much.
  Sketches& sketches() { return sketches_; }

  // Counts a timing that cannot be kept.
  void Drop() { missed_.fetch_add(1, std::memory_order_relaxed); }

  // Returns the half that was active; null when the lock is busy (try again later).
  Half* Swap() {
    if (!lock_.Lock()) return nullptr;
    // Another process may have written anything here, and this one must not follow it elsewhere.
    const uint32_t active = active_ & 1;
    Half* full = &half_[active];
    active_ = active ^ 1;
    lock_.Unlock();
    full->dropped += missed_.exchange(0, std::memory_order_relaxed);
    return full;
  }

  // Empties a half that Swap returned.
  static void Clear(Half* half) {
    half->dropped = 0;
    half->used = 0;
    std::memset(half->bucket, 0, sizeof(half->bucket));
  }

 private:
  // One multiplication, because its latency is part of every wrapped call. Ranks and element vary
  // less than the block, so they only rotate bits.
  static uint32_t Hash(Key key) {
    const uint64_t turned = key.rest << 27 | key.rest >> 37;
    return static_cast<uint32_t>(((key.block_bytes ^ turned) * 0x9e3779b97f4a7c15) >> 48);
  }

  static Entry* Find(Half& half, Key key) {
    for (uint32_t i = Hash(key);; ++i) {
      uint16_t& bucket = half.bucket[i & (kBuckets - 1)];
      if (bucket == 0) [[unlikely]]
        return Insert(half, bucket, key);
      Entry& entry = half.entry[bucket - 1];
      if (entry.key.block_bytes == key.block_bytes && entry.key.rest == key.rest) return &entry;
    }
  }

  // Out of line: its registers and stack would slow the common path.
  [[gnu::noinline]] static Entry* Insert(Half& half, uint16_t& bucket, Key key) {
    if (half.used == kEntries) return nullptr;
    Entry& entry = half.entry[half.used++];
    bucket = static_cast<uint16_t>(half.used);
    entry.key = key;
    entry.count = 0;
    entry.sum_ns = 0;
    entry.sum_squares_ns2 = 0;
    return &entry;
  }

  uint64_t magic_;
  SpinLock lock_;
  uint32_t active_;  // guarded by lock_
  std::atomic<uint64_t> missed_;
  Totals totals_;
  Sketches sketches_;
  Half half_[2];

  static_assert(std::atomic<uint64_t>::is_always_lock_free);
  static_assert(kEntries < UINT16_MAX);
};

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_TABLE_H_
