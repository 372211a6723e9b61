// The messages of one rank in one phase of an exchange, as a few runs of evenly spaced peers. Plain
// value, no allocation.
#ifndef COX_STRATEGY_TRAFFIC_PEERS_H_
#define COX_STRATEGY_TRAFFIC_PEERS_H_

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>

namespace cox::strategy {

// Ranks first, first + step, ... (`terms` of them); `blocks` blocks for each.
struct PeerRun {
  int64_t first;
  int64_t step;
  int64_t terms;
  double blocks;
};

// `terms` ranks, `step` apart.
struct Spaced {
  int64_t first;
  int64_t step;
  int64_t terms;
};

class Peers {
 public:
  // The most runs that a strategy's rank has in one phase.
  static constexpr size_t kMaxRuns = 12;

  void Clear() { size_ = 0; }

  // Adds nothing for terms <= 0.
  void Add(const Spaced& ranks, double blocks) {
    if (ranks.terms <= 0) return;
    assert(size_ < kMaxRuns);
    runs_[size_++] = {ranks.first, ranks.step, ranks.terms, blocks};
  }
  void AddOne(int64_t rank, double blocks) { Add({rank, 1, 1}, blocks); }

  // Adds all but the one at index `skip`, which may lie outside.
  void AddExcept(int64_t skip, const Spaced& ranks, double blocks) {
    if (skip < 0 || skip >= ranks.terms) {
      Add(ranks, blocks);
      return;
    }
    Add({ranks.first, ranks.step, skip}, blocks);
    Add({ranks.first + (skip + 1) * ranks.step, ranks.step, ranks.terms - skip - 1}, blocks);
  }

  const PeerRun* begin() const { return runs_.data(); }
  const PeerRun* end() const { return runs_.data() + size_; }

 private:
  size_t size_ = 0;
  std::array<PeerRun, kMaxRuns> runs_;
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_PEERS_H_
