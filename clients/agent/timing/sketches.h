// One rank's sketches: whom the rank sends how much, in phases of alltoallv, of neighbour
// collectives and of messages. A fixed number of them, in the rank's table in shared memory. Each
// phase adds to sums; the drainer takes the sums and leaves zeros.
//
// Only some phases are sampled, because a sample reads all counts of a call: the rank's first
// kFirstSamples phases of a kind and then every kSampleGap-th. The gap is a prime, so that phases
// which alternate are all sampled.
//
// Threads: any thread of any process that maps the table. Failures: a phase is not counted if all
// sketches are in use or the lock is busy. A phase of messages does not wait for the lock, because
// each thread may have as many of them as messages.
#ifndef COX_AGENT_TIMING_SKETCHES_H_
#define COX_AGENT_TIMING_SKETCHES_H_

#include <atomic>
#include <cstdint>
#include <cstring>

#include "agent/timing/spin_lock.h"
#include "domain/pattern/classes.h"

namespace cox::agent {

// What a rank sends in one phase.
class PhaseShape {
 public:
  // Begins a phase of the rank `rank` of `ranks`.
  void Begin(int rank, int ranks) {
    memset(this, 0, sizeof(*this));
    rank_ = rank;
    ranks_ = ranks;
  }
  // A destination, once for all of its messages in sequence. The rank itself does not count.
  void AddDestination(int to) {
    if (to == rank_) return;
    ++destinations_;
    ++distances_[domain::PatternClassOf(domain::RingDistance(rank_, to, ranks_))];
    signature_ += Mix(static_cast<uint64_t>(to) + 1);
  }
  void AddMessage(int to, int64_t bytes) {
    if (to == rank_) return;
    ++sizes_[domain::PatternClassOf(bytes)];
    bytes_ += static_cast<uint64_t>(bytes);
    signature_ += Mix(static_cast<uint64_t>(bytes) ^ (static_cast<uint64_t>(to) << 40));
  }

  int ranks() const { return ranks_; }
  int rank() const { return rank_; }
  int64_t destinations() const { return destinations_; }

 private:
  friend class Sketches;
  static uint64_t Mix(uint64_t number) {
    number *= 0x9e3779b97f4a7c15;
    return number ^ number >> 32;
  }

  int rank_;
  int ranks_;
  int64_t destinations_;
  uint64_t bytes_;
  uint64_t signature_;  // of destinations and sizes
  uint32_t sizes_[domain::kPatternClasses];
  uint32_t distances_[domain::kPatternClasses];
};

// When a phase began and ended; zeros: not known.
struct PhaseTime {
  uint64_t start_ns = 0;
  uint64_t stop_ns = 0;
};

// Sums of the phases of one kind among `ranks` ranks; domain/pattern/sketch.h explains the members.
struct SketchSums {
  uint64_t phases;
  uint64_t samples;
  uint64_t repeats;
  uint64_t bytes;
  uint64_t timed;
  uint64_t inside_ns;
  uint64_t between_ns;
  uint32_t destinations[domain::kPatternClasses];
  uint32_t sizes[domain::kPatternClasses];
  uint32_t distances[domain::kPatternClasses];
};

class Sketches {
 public:
  static constexpr int kMost = 16;
  static constexpr uint64_t kFirstSamples = 4;
  static constexpr uint64_t kSampleGap = 17;

  // Counts a phase. True: sample it, by AddSample().
  bool AddPhase(domain::PatternKind kind, int ranks, PhaseTime time) {
    if (!LockFor(kind)) return false;
    Slot* const slot = Find(kind, ranks);
    bool is_sampled = false;
    if (slot != nullptr) {
      ++slot->sums.phases;
      AddTime(time, slot);
      const uint64_t number = ++slot->seen;
      is_sampled = number <= kFirstSamples || number % kSampleGap == 0;
    }
    lock_.Unlock();
    return is_sampled;
  }

  void AddSample(domain::PatternKind kind, const PhaseShape& shape) {
    if (!LockFor(kind)) return;
    if (Slot* const slot = Find(kind, shape.ranks())) {
      SketchSums& sums = slot->sums;
      ++sums.samples;
      sums.bytes += shape.bytes_;
      ++sums.destinations[domain::PatternClassOf(shape.destinations_)];
      for (int i = 0; i < domain::kPatternClasses; ++i) {
        sums.sizes[i] += shape.sizes_[i];
        sums.distances[i] += shape.distances_[i];
      }
      for (int i = 0; i < kRemembered && i < static_cast<int>(slot->remembered); ++i) {
        if (slot->signature[i] != shape.signature_) continue;
        ++sums.repeats;
        break;
      }
      slot->signature[slot->remembered++ % kRemembered] = shape.signature_;
    }
    lock_.Unlock();
  }

  // Takes the sums of one sketch, 0 <= index < kMost. False: it has no phases, or the lock is busy.
  bool Take(int index, domain::PatternKind* kind, int* ranks, SketchSums* sums) {
    Slot& slot = slot_[index];
    const uint64_t key = slot.key.load(std::memory_order_relaxed);
    if (key == 0 || !lock_.Lock()) return false;
    const bool has_phases = slot.sums.phases > 0;
    if (has_phases) {
      *kind = static_cast<domain::PatternKind>((key & 0xff) - 1);
      *ranks = static_cast<int>(key >> 8);
      *sums = slot.sums;
      memset(&slot.sums, 0, sizeof(slot.sums));
    }
    lock_.Unlock();
    return has_phases;
  }

 private:
  static constexpr int kRemembered = 4;

  struct Slot {
    std::atomic<uint64_t> key;  // ranks << 8 | kind + 1; 0: free; set once
    uint64_t seen;
    uint64_t last_stop_ns;
    uint64_t remembered;
    uint64_t signature[kRemembered];
    SketchSums sums;
  };

  bool LockFor(domain::PatternKind kind) {
    return kind == domain::PatternKind::kMessages ? lock_.TryLock() : lock_.Lock();
  }

  Slot* Find(domain::PatternKind kind, int ranks) {
    const uint64_t key = static_cast<uint64_t>(ranks) << 8 | (static_cast<uint64_t>(kind) + 1);
    for (Slot& slot : slot_) {
      const uint64_t found = slot.key.load(std::memory_order_relaxed);
      if (found == key) return &slot;
      if (found != 0) continue;
      slot.key.store(key, std::memory_order_relaxed);
      return &slot;
    }
    return nullptr;
  }

  static void AddTime(PhaseTime time, Slot* slot) {
    if (time.stop_ns == 0) {
      slot->last_stop_ns = 0;
      return;
    }
    if (slot->last_stop_ns != 0 && slot->last_stop_ns <= time.start_ns &&
        time.start_ns <= time.stop_ns) {
      ++slot->sums.timed;
      slot->sums.inside_ns += time.stop_ns - time.start_ns;
      slot->sums.between_ns += time.start_ns - slot->last_stop_ns;
    }
    slot->last_stop_ns = time.stop_ns;
  }

  SpinLock lock_;
  Slot slot_[kMost];  // starts as zeros
};

}  // namespace cox::agent

#endif  // COX_AGENT_TIMING_SKETCHES_H_
