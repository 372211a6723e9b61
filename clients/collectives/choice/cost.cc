#include "collectives/choice/cost.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace cox::collectives {
namespace {

double Seconds(double messages, double bytes, const domain::CostProfile& costs) {
  if (messages <= 0) return 0;
  return costs.alpha_s + (messages - 1) * costs.further_s() + bytes * costs.beta_s_per_byte;
}

// Keeps the loads that may cost most.
std::vector<RouteLoads::Load> Largest(std::vector<RouteLoads::Load> loads) {
  std::sort(loads.begin(), loads.end(), [](const auto& a, const auto& b) {
    return a.messages != b.messages ? a.messages > b.messages : a.blocks > b.blocks;
  });
  std::vector<RouteLoads::Load> largest;
  for (const RouteLoads::Load& load : loads) {
    if (largest.empty() || load.blocks > largest.back().blocks) largest.push_back(load);
  }
  return largest;
}

// Bytes that each rank sends and receives in one phase.
struct PhaseBytes {
  explicit PhaseBytes(int ranks) : sent(static_cast<size_t>(ranks)), received(sent) {}
  void Add(int source, int destination, double bytes) {
    sent[static_cast<size_t>(source)] += bytes;
    received[static_cast<size_t>(destination)] += bytes;
  }
  std::vector<double> sent, received;
};

}  // namespace

RouteLoads LoadsOf(Routing routing, int ranks) {
  const Topology topology(routing, ranks);
  const auto count = static_cast<size_t>(ranks);
  RouteLoads loads;
  loads.phases.resize(static_cast<size_t>(topology.phases()));
  std::vector<int> at(count * count);  // where the block from rank i / ranks for i mod ranks is
  for (size_t i = 0; i < at.size(); ++i) at[i] = static_cast<int>(i / count);
  std::vector<char> has_sent(count * count);
  for (size_t number = 0; number < loads.phases.size(); ++number) {
    RouteLoads::Phase& phase = loads.phases[number];
    phase.sent.resize(count);
    phase.received.resize(count);
    std::fill(has_sent.begin(), has_sent.end(), 0);
    for (size_t i = 0; i < at.size(); ++i) {
      const int here = at[i];
      const int next =
          topology.NextHop(here, static_cast<int>(i % count), static_cast<int>(number));
      if (next == here) continue;
      RouteLoads::Load& sent = phase.sent[static_cast<size_t>(here)];
      RouteLoads::Load& received = phase.received[static_cast<size_t>(next)];
      char& is_known = has_sent[static_cast<size_t>(here) * count + static_cast<size_t>(next)];
      sent.messages += 1 - is_known;
      received.messages += 1 - is_known;
      is_known = 1;
      ++sent.blocks;
      ++received.blocks;
      at[i] = next;
    }
    std::vector<RouteLoads::Load> all = phase.sent;
    all.insert(all.end(), phase.received.begin(), phase.received.end());
    phase.largest = Largest(std::move(all));
  }
  return loads;
}

double DirectSeconds(int ranks, double block_bytes, const domain::CostProfile& costs) {
  return Seconds(ranks - 1, (ranks - 1) * block_bytes, costs);
}

double BruckSeconds(int ranks, double block_bytes, const domain::CostProfile& costs) {
  double seconds = 0;
  for (int64_t distance = 1; distance < ranks; distance *= 2) {
    const int64_t blocks =
        ranks / (2 * distance) * distance + std::max<int64_t>(0, ranks % (2 * distance) - distance);
    seconds += Seconds(1, static_cast<double>(blocks) * block_bytes, costs);
  }
  return seconds;
}

double RoutedSeconds(const RouteLoads& loads, double block_bytes, const domain::CostProfile& costs,
                     double head_bytes) {
  double seconds = 0;
  for (const RouteLoads::Phase& phase : loads.phases) {
    double dearest = 0;
    for (const RouteLoads::Load& load : phase.largest) {
      const double bytes =
          static_cast<double>(load.blocks) * block_bytes + load.messages * head_bytes;
      dearest = std::max(dearest, Seconds(load.messages, bytes, costs));
    }
    seconds += dearest;
  }
  return seconds;
}

double MessagesSeconds(const LargestLoad& largest, const domain::CostProfile& costs) {
  return Seconds(static_cast<double>(largest.messages), static_cast<double>(largest.bytes), costs);
}

double EndOfDirectSeconds(int ranks, const domain::CostProfile& costs) {
  if (ranks == 1) return 0;
  const int rounds = std::bit_width(static_cast<unsigned>(ranks - 1));
  return (1 + rounds) * costs.alpha_s;
}

double DirectPatternSeconds(int ranks, std::span<const Transfer> transfers,
                            const domain::CostProfile& costs) {
  PhaseBytes bytes(ranks), messages(ranks);
  for (const Transfer& transfer : transfers) {
    if (transfer.source == transfer.destination) continue;
    bytes.Add(transfer.source, transfer.destination, transfer.bytes);
    messages.Add(transfer.source, transfer.destination, 1);
  }
  double dearest = 0;
  for (size_t rank = 0; rank < bytes.sent.size(); ++rank) {
    dearest = std::max({dearest, Seconds(messages.sent[rank], bytes.sent[rank], costs),
                        Seconds(messages.received[rank], bytes.received[rank], costs)});
  }
  return dearest;
}

double RoutedPatternSeconds(Routing routing, int ranks, const RouteLoads& loads,
                            std::span<const Transfer> transfers, const domain::CostProfile& costs) {
  const Topology topology(routing, ranks);
  std::vector<int> at;
  at.reserve(transfers.size());
  for (const Transfer& transfer : transfers) at.push_back(transfer.source);
  double seconds = 0;
  for (size_t number = 0; number < loads.phases.size(); ++number) {
    PhaseBytes bytes(ranks);
    for (size_t i = 0; i < transfers.size(); ++i) {
      const int next = topology.NextHop(at[i], transfers[i].destination, static_cast<int>(number));
      if (next != at[i]) bytes.Add(at[i], next, transfers[i].bytes + kRecordBytes);
      at[i] = next;
    }
    const RouteLoads::Phase& phase = loads.phases[number];
    double dearest = 0;
    const auto price = [&costs](const RouteLoads::Load& load, double record_bytes) {
      return Seconds(load.messages, record_bytes + load.messages * kHeadBytes, costs);
    };
    for (size_t rank = 0; rank < bytes.sent.size(); ++rank) {
      dearest = std::max({dearest, price(phase.sent[rank], bytes.sent[rank]),
                          price(phase.received[rank], bytes.received[rank])});
    }
    seconds += dearest;
  }
  return seconds;
}

}  // namespace cox::collectives
