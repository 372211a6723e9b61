// C3's all-to-all in levels: within and between squares of ranks, and across ever smaller halves.
#include "strategy/algorithms/routed/routed_alltoall.h"
#include "strategy/enumeration.h"
#include "strategy/steps.h"
#include "strategy/traffic/part.h"
#include "strategy/traffic/step_patterns.h"
#include "topology/virtual_topology.h"

namespace cox::strategy {
namespace {

double Blocks(int64_t count) { return static_cast<double>(count); }

// In each square every rank sends to every other: all blocks for one square. Reversed: all blocks
// from one square.
class InSquares final : public Exchange {
 public:
  explicit InSquares(const topology::Squares& squares) : squares_(squares) {}

  // Blocks for a rank of the own square are sent apart from those for other squares.
  void Sends(int64_t rank, Peers* out) const override {
    const int64_t at = rank % squares_.size;
    const int64_t begin = rank - at;
    const int64_t own = rank / squares_.size;
    const double blocks = Blocks(squares_.size);
    out->AddExcept(at, {begin, 1, own}, blocks);
    if (at != own) out->AddOne(begin + own, blocks - 1);
    out->AddExcept(at - own - 1, {begin + own + 1, 1, squares_.size - own - 1}, blocks);
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t at = rank % squares_.size;
    const bool for_own = at == rank / squares_.size;
    out->AddExcept(at, {rank - at, 1, squares_.size}, Blocks(squares_.size - (for_own ? 1 : 0)));
  }

  Totals totals() const override {
    const double peers = Blocks(squares_.size - 1);
    const double messages = Blocks(squares_.ranks) * peers;
    return {messages, messages * Blocks(squares_.size) - Blocks(squares_.size) * peers};
  }

  void Notable(RankList* out) const override {
    out->Add(0);
    if (squares_.ranks > 1) out->Add(1);
  }

 private:
  const topology::Squares& squares_;
};

// All blocks from one square to another go from one rank to one rank.
class BetweenSquares final : public Exchange {
 public:
  explicit BetweenSquares(const topology::Squares& squares) : squares_(squares) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t partner = squares_.PartnerOf(rank);
    if (partner != rank) out->AddOne(partner, Blocks(squares_.ranks));
  }
  void Receives(int64_t rank, Peers* out) const override { Sends(rank, out); }
  Totals totals() const override {
    const double messages = Blocks(squares_.ranks - squares_.size);
    return {messages, messages * Blocks(squares_.ranks)};
  }
  void Notable(RankList* out) const override {
    if (squares_.ranks > 1) out->Add(1);
  }

 private:
  const topology::Squares& squares_;
};

constexpr char kSquares = 0;  // its address is its name

}  // namespace

void BuildTwoLevelSquares(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const topology::Squares squares(scenario.ranks);
  const model::Extent square = SquareOf(scenario, squares.size);
  const InSquares in_squares(squares);
  AddRoutedPhase(in_squares, {&kSquares, 0}, scenario, true, schedule, square);
  AddRoutedPhase(BetweenSquares(squares), {&kSquares, 1}, scenario, false, schedule);
  AddRoutedPhase(Mirrored(in_squares), {&kSquares, 2}, scenario, false, schedule, square);
}

void EnumerateTwoLevelSquares(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const topology::Squares squares(scenario.ranks);
  const auto block_bytes = static_cast<double>(scenario.block_bytes);
  Enumeration out(scenario, sink);
  const auto in_squares = [&](bool turned_round) {
    for (int64_t begin = 0; begin < squares.ranks; begin += squares.size) {
      for (int64_t i = 0; i < squares.size; ++i) {
        for (int64_t j = 0; j < squares.size; ++j) {
          const bool of_own = j == begin / squares.size;
          const double bytes = Blocks(squares.size - (of_own ? 1 : 0)) * block_bytes;
          if (i != j && !turned_round) out.Send(begin + i, begin + j, bytes);
          if (i != j && turned_round) out.Send(begin + j, begin + i, bytes);
        }
      }
    }
    out.EndPhase();
  };
  in_squares(false);
  for (int64_t rank = 0; rank < squares.ranks; ++rank) {
    const int64_t partner = squares.PartnerOf(rank);
    if (partner != rank) out.Send(rank, partner, Blocks(squares.ranks) * block_bytes);
  }
  out.EndPhase();
  in_squares(true);
}

void BuildButterfly(const Scenario& scenario, const Knobs&, model::Schedule* schedule) {
  const Rooted at(scenario, 0);
  const double bytes = Blocks(scenario.ranks / 2) * static_cast<double>(scenario.block_bytes);
  Steps steps(schedule);
  for (int64_t distance = scenario.ranks / 2; distance > 0; distance /= 2) {
    model::LocalWork work;
    if (2 * distance < scenario.ranks) work.copied_bytes = work.touched_bytes = bytes;
    steps.Add(RotatedExchange(at, distance), bytes, work);
    steps.EndPhase(CutTo(scenario, 2 * distance));
  }
}

void EnumerateButterfly(const Scenario& scenario, const Knobs&, MessageSink sink) {
  const double bytes = Blocks(scenario.ranks / 2) * static_cast<double>(scenario.block_bytes);
  Enumeration out(scenario, sink);
  for (int64_t distance = scenario.ranks / 2; distance > 0; distance /= 2) {
    for (int64_t rank = 0; rank < scenario.ranks; ++rank) out.Send(rank, rank ^ distance, bytes);
    out.EndPhase();
  }
}

}  // namespace cox::strategy
