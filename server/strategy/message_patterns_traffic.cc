// Sums a list of messages into traffic. Ranks get numbers in the order in which they come, so that
// what is kept of a rank is kept only of those that communicate, and those that communicate
// together lie together.
#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "model/errors.h"
#include "strategy/message_patterns.h"

namespace cox::strategy {
namespace {

using model::LevelTraffic;
using model::RankTraffic;
using model::Transfer;

// What a rank does at one level.
struct Ends {
  double out_bytes = 0;
  double in_bytes = 0;
  uint32_t sends = 0;
  uint32_t receives = 0;
};

struct Rank {
  Ends at[2];  // inside its node, between nodes
  double own_bytes = 0;
  uint32_t node = 0;  // by order of appearance
};

// Numbers things that have numbers already, from 1 in the order in which they come.
class Order {
 public:
  explicit Order(int64_t size) : places_(static_cast<size_t>(size)) {}
  // The place, from 0; whether the thing is new.
  uint32_t Of(int64_t thing, bool* is_new) {
    uint32_t& place = places_[static_cast<size_t>(thing)];
    *is_new = place == 0;
    if (*is_new) place = ++count_;
    return place - 1;
  }

 private:
  std::vector<uint32_t> places_;
  uint32_t count_ = 0;
};

struct Node {
  double out_bytes = 0;
  double in_bytes = 0;
};

class Summing {
 public:
  Summing(absl::Span<const Transfer> messages, const Scenario& scenario)
      : messages_(messages),
        scenario_(scenario),
        rank_order_(scenario.ranks),
        node_order_(scenario.node_count()) {
    ends_.reserve(messages.size());
  }

  absl::Status AddAll() {
    for (size_t i = 0; i < messages_.size(); ++i) {
      const Transfer& message = messages_[i];
      if (!IsRank(message.source)) return Refuse(i, "source", message.source);
      if (!IsRank(message.destination)) return Refuse(i, "destination", message.destination);
      if (!std::isfinite(message.bytes) || message.bytes < 0) {
        return model::InvalidField(absl::StrCat("messages[", i, "].bytes"),
                                   absl::StrCat(message.bytes, " is not a size"));
      }
      Add(message);
    }
    return absl::OkStatus();
  }

  model::Phase Sum() {
    model::Phase phase;
    model::Traffic& traffic = phase.traffic;
    traffic.disjoint = true;
    for (const Rank& rank : ranks_) {
      const Ends& near = rank.at[0];
      const Ends& far = rank.at[1];
      const Ends any = {near.out_bytes + far.out_bytes, near.in_bytes + far.in_bytes,
                        near.sends + far.sends, near.receives + far.receives};
      Widen(near, &levels_[0]);
      Widen(far, &levels_[1]);
      Widen(any, &traffic.any);
      if (any.sends > 0 && any.receives > 0) traffic.disjoint = false;
      phase.work.copied_bytes = std::max(phase.work.copied_bytes, rank.own_bytes);
    }
    phase.work.touched_bytes = phase.work.copied_bytes;
    for (const Node& node : nodes_) {
      levels_[1].node_out_bytes = std::max(levels_[1].node_out_bytes, node.out_bytes);
      levels_[1].node_in_bytes = std::max(levels_[1].node_in_bytes, node.in_bytes);
    }
    traffic.any.max_message_bytes =
        std::max(levels_[0].max_message_bytes, levels_[1].max_message_bytes);
    CountPairs();
    traffic.node = levels_[0];
    traffic.network = levels_[1];
    return phase;
  }

 private:
  // A message by the places of its ranks.
  struct Pair {
    uint32_t source;
    uint32_t destination;
  };

  bool IsRank(int64_t rank) const { return rank >= 0 && rank < scenario_.ranks; }

  absl::Status Refuse(size_t i, absl::string_view name, int64_t rank) const {
    return model::InvalidField(absl::StrCat("messages[", i, "].", name),
                               absl::StrCat(rank, " is not one of ", scenario_.ranks, " ranks"));
  }

  uint32_t PlaceOf(int64_t rank) {
    bool is_new = false;
    const uint32_t place = rank_order_.Of(rank, &is_new);
    if (is_new) {
      Rank& added = ranks_.emplace_back();
      added.node = node_order_.Of(scenario_.NodeOf(rank), &is_new);
      if (is_new) nodes_.emplace_back();
    }
    return place;
  }

  void Add(const Transfer& message) {
    const uint32_t source = PlaceOf(message.source);
    const uint32_t destination = PlaceOf(message.destination);
    Rank& sender = ranks_[source];
    if (source == destination) {
      sender.own_bytes += message.bytes;
      return;
    }
    Rank& receiver = ranks_[destination];
    const size_t level = sender.node == receiver.node ? 0 : 1;
    sender.at[level].out_bytes += message.bytes;
    sender.at[level].sends += 1;
    receiver.at[level].in_bytes += message.bytes;
    receiver.at[level].receives += 1;
    levels_[level].messages_count += 1;
    levels_[level].volume_bytes += message.bytes;
    levels_[level].max_message_bytes = std::max(levels_[level].max_message_bytes, message.bytes);
    if (level == 1) {
      nodes_[sender.node].out_bytes += message.bytes;
      nodes_[receiver.node].in_bytes += message.bytes;
    }
    ends_.push_back({source, destination});
  }

  static void Widen(const Ends& ends, RankTraffic* busiest) {
    busiest->sends_count = std::max(busiest->sends_count, static_cast<double>(ends.sends));
    busiest->receives_count = std::max(busiest->receives_count, static_cast<double>(ends.receives));
    busiest->out_bytes = std::max(busiest->out_bytes, ends.out_bytes);
    busiest->in_bytes = std::max(busiest->in_bytes, ends.in_bytes);
  }

  // Groups the messages by their source, and marks for each source the destinations it has met.
  void CountPairs() {
    std::vector<uint32_t> next(ranks_.size());
    uint32_t first = 0;
    for (size_t i = 0; i < ranks_.size(); ++i) {
      next[i] = first;
      first += ranks_[i].at[0].sends + ranks_[i].at[1].sends;
    }
    std::vector<uint32_t> destinations(ends_.size());
    for (const Pair& pair : ends_) destinations[next[pair.source]++] = pair.destination;
    std::vector<uint32_t> met_by(ranks_.size());  // the last source, from 1
    uint32_t at = 0;
    for (uint32_t source = 0; source < ranks_.size(); ++source) {
      for (; at < next[source]; ++at) {
        const uint32_t destination = destinations[at];
        if (met_by[destination] == source + 1) continue;
        met_by[destination] = source + 1;
        levels_[ranks_[source].node == ranks_[destination].node ? 0 : 1].pairs_count += 1;
      }
    }
  }

  absl::Span<const Transfer> messages_;
  const Scenario& scenario_;
  Order rank_order_, node_order_;
  std::vector<Rank> ranks_;
  std::vector<Node> nodes_;
  std::vector<Pair> ends_;
  LevelTraffic levels_[2];
};

}  // namespace

absl::StatusOr<model::Phase> TrafficOf(absl::Span<const model::Transfer> messages,
                                       const Scenario& scenario) {
  absl::Status status = Validate(scenario);
  if (!status.ok()) return status;
  if (scenario.ranks > kMaxPatternRanks) {
    return model::InvalidField("ranks",
                               absl::StrCat(scenario.ranks, " is more than ", kMaxPatternRanks));
  }
  if (messages.size() > static_cast<size_t>(kMaxPatternMessages)) {
    return model::InvalidField(
        "messages", absl::StrCat(messages.size(), " are more than ", kMaxPatternMessages));
  }
  Summing summing(messages, scenario);
  status = summing.AddAll();
  if (!status.ok()) return status;
  return summing.Sum();
}

absl::Status BuildPattern(absl::Span<const model::Transfer> messages, const Scenario& scenario,
                          model::Schedule* schedule) {
  static const model::Shape kNotKnown;
  const absl::StatusOr<model::Phase> phase = TrafficOf(messages, scenario);
  if (!phase.ok()) return phase.status();
  schedule->Clear(
      model::ExtentOf(scenario.shape != nullptr ? *scenario.shape : kNotKnown, scenario.ranks));
  if (messages.empty()) return absl::OkStatus();
  schedule->Add() = *phase;
  return absl::OkStatus();
}

}  // namespace cox::strategy
