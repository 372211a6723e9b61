// Scan and exscan: both send the same messages.
#include "domain/collective.h"
#include "strategy/algorithms/node_leaders.h"
#include "strategy/algorithms/relay.h"
#include "strategy/collectives/algorithms.h"
#include "strategy/enumeration.h"
#include "strategy/traffic/exchange.h"
#include "strategy/traffic/step_patterns.h"

namespace cox::strategy {
namespace {

constexpr char kDoubling = 0;  // its address is its name

double VectorBytes(const Scenario& scenario) { return static_cast<double>(scenario.block_bytes); }

Relay Onwards(const Scenario& scenario) {
  return {VectorBytes(scenario), VectorBytes(scenario), false, 1};
}

void BuildLinear(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  AddRelay(Onwards(scenario), scenario, schedule);
}

void EnumerateLinear(const Scenario& scenario, const Knobs&, MessageSink sink) {
  EnumerateRelay(Onwards(scenario), scenario, sink);
}

// r and r xor distance exchange if both exist. distance: a power of two.
class Pairs final : public Exchange {
 public:
  Pairs(int64_t ranks, int64_t distance) : ranks_(ranks), distance_(distance) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t partner = rank ^ distance_;
    if (partner < ranks_) out->AddOne(partner, 1);
  }
  void Receives(int64_t rank, Peers* out) const override { Sends(rank, out); }

  Totals totals() const override {
    const auto messages = static_cast<double>(PairedMessages(ranks_, distance_));
    return {messages, messages};
  }

  int64_t Period(int64_t ranks) const override {
    return ranks % (2 * distance_) == 0 ? 2 * distance_ : ranks;
  }

  void Notable(RankList* out) const override {
    out->Add(0);
    out->Add(distance_);
  }

 private:
  int64_t ranks_;
  int64_t distance_;
};

void BuildRecursiveDoubling(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const double bytes = VectorBytes(scenario);
  int64_t step = 0;
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2, ++step) {
    model::Phase& phase = schedule->Add();
    phase.traffic = TrafficOf(Pairs(scenario.ranks, distance), {&kDoubling, step}, scenario);
    // The upper partner combines the received vector with its result and with what it passes on.
    phase.work.reduced_bytes = 2 * bytes;
  }
}

void EnumerateRecursiveDoubling(const Scenario& scenario, const Knobs&, MessageSink sink) {
  Enumeration out(scenario, sink);
  for (int64_t distance = 1; distance < scenario.ranks; distance *= 2) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) {
      const int64_t partner = rank ^ distance;
      if (partner < scenario.ranks) out.Send(rank, partner, VectorBytes(scenario));
    }
    out.EndPhase();
  }
}

constexpr absl::string_view kLinear = "each rank waits for the one before, then tells the next one";
constexpr absl::string_view kExchanges = "ceil(log2 p) exchanges of the whole vector";

constexpr Algorithm kScanAlgorithms[] = {
    {domain::Collective::kScan, "linear", kLinear, "",
     "Open MPI v4.1.4, coll/base: scan_intra_linear", AlwaysApplies, BuildLinear, EnumerateLinear},
    {domain::Collective::kScan, "recursive-doubling", kExchanges, "",
     "Open MPI v4.1.4, coll/base: scan_intra_recursivedoubling; MPICH v4.0.2, src/mpi/coll: "
     "scan_intra_recursive_doubling",
     AlwaysApplies, BuildRecursiveDoubling, EnumerateRecursiveDoubling},
    {domain::Collective::kScan, "node-leaders", "in each node, among the nodes' leaders, and back",
     "", "MPICH v4.0.2, src/mpi/coll: scan_intra_smp", LeadersScanApplies, BuildLeadersScan,
     EnumerateLeadersScan},
};

constexpr Algorithm kExscanAlgorithms[] = {
    {domain::Collective::kExscan, "linear", kLinear, "",
     "Open MPI v4.1.4, coll/base: exscan_intra_linear", AlwaysApplies, BuildLinear,
     EnumerateLinear},
    {domain::Collective::kExscan, "recursive-doubling", kExchanges, "",
     "Open MPI v4.1.4, coll/base: exscan_intra_recursivedoubling; MPICH v4.0.2, src/mpi/coll: "
     "exscan_intra_recursive_doubling",
     AlwaysApplies, BuildRecursiveDoubling, EnumerateRecursiveDoubling},
};

}  // namespace

absl::Span<const Algorithm> ScanAlgorithms() { return kScanAlgorithms; }
absl::Span<const Algorithm> ExscanAlgorithms() { return kExscanAlgorithms; }

}  // namespace cox::strategy
