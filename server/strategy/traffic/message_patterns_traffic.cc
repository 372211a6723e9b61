// Sums a list of messages into traffic. A million messages among a million ranks access memory at
// random. So the tables per rank are small, split by level (most patterns use one level), and
// prefetched.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "strategy/traffic/message_patterns.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/part.h"

namespace cox::strategy {
namespace {

using model::LevelTraffic;
using model::RankTraffic;
using model::Transfer;

// Zeroed memory whose pages the system allocates at first touch. For plain numbers only.
struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <typename T>
std::unique_ptr<T[], Free> Zeros(size_t count) {
  void* memory = std::calloc(std::max<size_t>(count, 1), sizeof(T));
  if (memory == nullptr) std::abort();  // as operator new does without exceptions
  return std::unique_ptr<T[], Free>(static_cast<T*>(memory));
}

// One rank's messages at one level.
struct Ends {
  double out_bytes;
  double in_bytes;
  uint32_t sends;
  uint32_t receives;
};
struct Node {
  double out_bytes;
  double in_bytes;
};

// Rows of ranks in the tables: their numbers; or, if most of very many ranks have no messages, the
// order of their first message.
class Places {
 public:
  Places(int64_t ranks, size_t messages)
      : sparse_(static_cast<size_t>(ranks) > std::max<size_t>(2 * messages, kAlwaysDense)),
        count_(sparse_ ? 2 * messages : static_cast<size_t>(ranks)),
        by_rank_(Zeros<uint32_t>(sparse_ ? static_cast<size_t>(ranks) : 0)) {}

  bool sparse() const { return sparse_; }
  size_t count() const { return count_; }
  uint32_t Of(int64_t rank) {
    if (!sparse_) return static_cast<uint32_t>(rank);
    uint32_t& place = by_rank_[static_cast<size_t>(rank)];
    if (place == 0) place = ++used_;
    return place - 1;
  }

 private:
  static constexpr size_t kAlwaysDense = size_t{1} << 20;
  bool sparse_;
  size_t count_;
  uint32_t used_ = 0;
  std::unique_ptr<uint32_t[], Free> by_rank_;
};

class Summing {
 public:
  Summing(absl::Span<const Transfer> messages, const Scenario& scenario)
      : messages_(messages),
        ranks_count_(scenario.ranks),
        nodes_(scenario),
        places_(scenario.ranks, messages.size()),
        ends_{Zeros<Ends>(places_.count()), Zeros<Ends>(places_.count())},
        node_bytes_(Zeros<Node>(static_cast<size_t>(nodes_.count))) {
    pairs_.reserve(messages.size());
    traffic_.disjoint = true;
  }

  absl::Status AddAll() {
    for (size_t i = 0; i < messages_.size(); ++i) {
      if (i + kAhead < messages_.size()) Fetch(messages_[i + kAhead]);
      const Transfer& message = messages_[i];
      const bool sound = IsRank(message.source) && IsRank(message.destination) &&
                         message.bytes >= 0 && message.bytes <= kMaxBytes;
      if (!sound) return Refusal(i);
      Add(message);
    }
    return absl::OkStatus();
  }

  model::Phase Sum() {
    FindBusiest();
    CountPairs();
    traffic_.node = levels_[0];
    traffic_.network = levels_[1];
    traffic_.any.max_message_bytes =
        std::max(levels_[0].max_message_bytes, levels_[1].max_message_bytes);
    model::Phase phase;
    phase.traffic = traffic_;
    for (const double bytes : own_bytes_) {
      phase.work.copied_bytes = std::max(phase.work.copied_bytes, bytes);
    }
    phase.work.touched_bytes = phase.work.copied_bytes;
    return phase;
  }

 private:
  static constexpr size_t kAhead = 24;
  static constexpr double kMaxBytes = std::numeric_limits<double>::max();
  static constexpr uint32_t kFar = uint32_t{1} << 31;  // flag of a destination on another node

  struct Pair {
    uint32_t source;
    uint32_t destination;  // with kFar
  };

  // As Nodes::Of(), in 32 bits, which divide faster.
  uint32_t NodeOf(int64_t rank) const {
    const auto small = static_cast<uint32_t>(rank);
    return nodes_.cyclic ? small % static_cast<uint32_t>(nodes_.count)
                         : small / static_cast<uint32_t>(nodes_.ppn);
  }

  bool IsRank(int64_t rank) const { return rank >= 0 && rank < ranks_count_; }

  absl::Status Refusal(size_t i) const {
    const Transfer& message = messages_[i];
    const std::string prefix = absl::StrCat("messages[", i, "].");
    for (const bool of_source : {true, false}) {
      const int64_t rank = of_source ? message.source : message.destination;
      if (IsRank(rank)) continue;
      return domain::InvalidField(prefix + (of_source ? "source" : "destination"),
                                  absl::StrCat(rank, " is not one of ", ranks_count_, " ranks"));
    }
    return domain::InvalidField(prefix + "bytes", absl::StrCat(message.bytes, " is not a size"));
  }

  void Fetch(const Transfer& message) const {
    if (places_.sparse() || !IsRank(message.source) || !IsRank(message.destination)) return;
    __builtin_prefetch(&ends_[1][static_cast<size_t>(message.source)], 1);
    __builtin_prefetch(&ends_[1][static_cast<size_t>(message.destination)], 1);
  }

  void Add(const Transfer& message) {
    const uint32_t source = places_.Of(message.source);
    const uint32_t destination = places_.Of(message.destination);
    if (source == destination) {
      if (own_bytes_.empty()) own_bytes_.resize(places_.count());
      own_bytes_[source] += message.bytes;
      return;
    }
    const uint32_t from = NodeOf(message.source);
    const uint32_t to = NodeOf(message.destination);
    const size_t level = from == to ? 0 : 1;
    Ends& sender = ends_[level][source];
    sender.out_bytes += message.bytes;
    sender.sends += 1;
    Ends& receiver = ends_[level][destination];
    receiver.in_bytes += message.bytes;
    receiver.receives += 1;
    LevelTraffic& at = levels_[level];
    at.messages_count += 1;
    at.volume_bytes += message.bytes;
    at.max_message_bytes = std::max(at.max_message_bytes, message.bytes);
    if (level == 1) {
      Node& out = node_bytes_[from];
      Node& in = node_bytes_[to];
      at.node_out_bytes = std::max(at.node_out_bytes, out.out_bytes += message.bytes);
      at.node_in_bytes = std::max(at.node_in_bytes, in.in_bytes += message.bytes);
    }
    pairs_.push_back({source, destination | (level == 1 ? kFar : 0)});
  }

  // Finds the busiest ranks. Skips a level without messages.
  void FindBusiest() {
    const bool uses[2] = {levels_[0].messages_count > 0, levels_[1].messages_count > 0};
    for (size_t i = 0; i < places_.count(); ++i) {
      Ends any = {};
      for (const size_t level : {0, 1}) {
        if (!uses[level]) continue;
        const Ends& ends = ends_[level][i];
        Widen(ends, &levels_[level]);
        any.out_bytes += ends.out_bytes;
        any.in_bytes += ends.in_bytes;
        any.sends += ends.sends;
        any.receives += ends.receives;
      }
      Widen(any, &traffic_.any);
      if (any.sends > 0 && any.receives > 0) traffic_.disjoint = false;
    }
  }

  static void Widen(const Ends& ends, RankTraffic* busiest) {
    busiest->sends_count = std::max(busiest->sends_count, static_cast<double>(ends.sends));
    busiest->receives_count = std::max(busiest->receives_count, static_cast<double>(ends.receives));
    busiest->out_bytes = std::max(busiest->out_bytes, ends.out_bytes);
    busiest->in_bytes = std::max(busiest->in_bytes, ends.in_bytes);
  }

  // Groups the messages by source, and marks the destinations that each source has met.
  void CountPairs() {
    const size_t count = places_.count();
    std::vector<uint32_t> next(count + 1);
    for (const Pair& pair : pairs_) ++next[pair.source + 1];
    for (size_t i = 0; i < count; ++i) next[i + 1] += next[i];
    std::vector<uint32_t> destinations(pairs_.size());
    for (const Pair& pair : pairs_) destinations[next[pair.source]++] = pair.destination;
    const auto met_by = Zeros<uint32_t>(count);  // the last source, from 1
    double pairs[2] = {0, 0};
    uint32_t at = 0;
    for (uint32_t source = 0; source < count; ++source) {
      for (; at < next[source]; ++at) {
        uint32_t& met = met_by[destinations[at] & ~kFar];
        pairs[destinations[at] >> 31] += met == source + 1 ? 0 : 1;
        met = source + 1;
      }
    }
    levels_[0].pairs_count = pairs[0];
    levels_[1].pairs_count = pairs[1];
  }

  absl::Span<const Transfer> messages_;
  int64_t ranks_count_;
  Nodes nodes_;
  Places places_;
  std::unique_ptr<Ends[], Free> ends_[2];  // inside nodes, between nodes
  std::unique_ptr<Node[], Free> node_bytes_;
  std::vector<double> own_bytes_;  // by place; empty where nobody has any
  std::vector<Pair> pairs_;
  LevelTraffic levels_[2];
  model::Traffic traffic_;
};

}  // namespace

absl::StatusOr<model::Phase> TrafficOf(absl::Span<const model::Transfer> messages,
                                       const Scenario& scenario) {
  absl::Status status = Validate(scenario);
  if (!status.ok()) return status;
  if (scenario.ranks > kMaxPatternRanks) {
    return domain::InvalidField("ranks",
                                absl::StrCat(scenario.ranks, " is more than ", kMaxPatternRanks));
  }
  if (messages.size() > static_cast<size_t>(kMaxPatternMessages)) {
    return domain::InvalidField(
        "messages", absl::StrCat(messages.size(), " are more than ", kMaxPatternMessages));
  }
  Summing summing(messages, scenario);
  status = summing.AddAll();
  if (!status.ok()) return status;
  return summing.Sum();
}

absl::Status BuildPattern(absl::Span<const model::Transfer> messages, const Scenario& scenario,
                          model::Schedule* schedule) {
  const absl::StatusOr<model::Phase> phase = TrafficOf(messages, scenario);
  if (!phase.ok()) return phase.status();
  schedule->Clear(WholeOf(scenario));
  if (messages.empty()) return absl::OkStatus();
  schedule->Add() = *phase;
  return absl::OkStatus();
}

}  // namespace cox::strategy
