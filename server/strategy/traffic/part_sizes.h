// Counts parts by size while parts are divided again and again. Not thread-safe.
#ifndef COX_STRATEGY_TRAFFIC_PART_SIZES_H_
#define COX_STRATEGY_TRAFFIC_PART_SIZES_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace cox::strategy {

class PartSizes {
 public:
  struct Entry {
    int64_t size;
    int64_t parts;
  };

  // One part of all ranks.
  void Reset(int64_t ranks) { entries_.assign(ranks > 1 ? 1 : 0, {ranks, 1}); }

  // Divides each part into keep(size) and the rest. Both must not descend as sizes ascend. Drops
  // parts of one rank.
  template <typename Keep>
  void Divide(const Keep& keep) {
    kept_.clear();
    rest_.clear();
    for (const Entry& entry : entries_) {
      const int64_t kept = keep(entry.size);
      Append({kept, entry.parts}, &kept_);
      Append({entry.size - kept, entry.parts}, &rest_);
    }
    Merge();
  }

  const std::vector<Entry>& entries() const { return entries_; }

 private:
  static void Append(const Entry& entry, std::vector<Entry>* to) {
    if (entry.size == 1) return;
    if (!to->empty() && to->back().size == entry.size) {
      to->back().parts += entry.parts;
    } else {
      to->push_back(entry);
    }
  }

  // Merges the two ascending lists.
  void Merge() {
    entries_.clear();
    auto rest = rest_.begin();
    for (const Entry& kept : kept_) {
      for (; rest != rest_.end() && rest->size < kept.size; ++rest) Append(*rest, &entries_);
      Append(kept, &entries_);
    }
    for (; rest != rest_.end(); ++rest) Append(*rest, &entries_);
  }

  std::vector<Entry> entries_;  // ascending, each size once
  std::vector<Entry> kept_;
  std::vector<Entry> rest_;
};

}  // namespace cox::strategy

#endif  // COX_STRATEGY_TRAFFIC_PART_SIZES_H_
