#include "strategy/algorithms/rooted/uneven_halves.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "strategy/enumeration.h"
#include "strategy/traffic/exchange.h"
#include "strategy/traffic/nodes.h"
#include "strategy/traffic/part.h"
#include "strategy/traffic/part_sizes.h"
#include "strategy/traffic/residues.h"

namespace cox::strategy {
namespace {

constexpr int64_t kDefaultShare = 750;
constexpr int64_t kWhole = 1000;

class Share {
 public:
  explicit Share(const Knobs& knobs)
      : permille_(knobs.gamma_permille == 0 ? kDefaultShare : knobs.gamma_permille) {}

  int64_t permille() const { return permille_; }
  // How many ranks the leader of n >= 2 ranks keeps.
  int64_t KeptOf(int64_t n) const { return std::min((n * permille_ + kWhole - 1) / kWhole, n - 1); }
  int64_t LargestOf(int64_t n) const { return std::max(KeptOf(n), n - KeptOf(n)); }

 private:
  int64_t permille_;
};

// Steps until the largest part is one rank; at most kMaxUnevenSteps + 1.
int64_t StepCount(const Share& share, int64_t ranks) {
  int64_t steps = 0;
  for (; ranks > 1 && steps <= kMaxUnevenSteps; ++steps) ranks = share.LargestOf(ranks);
  return steps;
}

// A part: the ranks v in [begin, begin + size), counted from the root.
struct Part {
  int64_t begin;
  int64_t size;
};

// One step: the leader of each part sends to the leader of the rest.
class DivideParts final : public Exchange {
 public:
  DivideParts(const Scenario& scenario, const Share& share, int64_t step)
      : ranks_(scenario.ranks), root_(scenario.root), share_(share), step_(step) {}

  void Sends(int64_t rank, Peers* out) const override {
    const int64_t v = Mod(rank - root_, ranks_);
    const Part part = PartOf(v);
    if (part.size == 1 || v != part.begin) return;
    const int64_t kept = share_.KeptOf(part.size);
    out->AddOne(RankOf(v + kept), static_cast<double>(part.size - kept));
  }

  void Receives(int64_t rank, Peers* out) const override {
    const int64_t v = Mod(rank - root_, ranks_);
    const Part part = PartOf(v);
    if (part.size == 1) return;
    const int64_t kept = share_.KeptOf(part.size);
    if (v == part.begin + kept) {
      out->AddOne(RankOf(part.begin), static_cast<double>(part.size - kept));
    }
  }

  Totals totals() const override {
    thread_local PartSizes sizes;
    sizes.Reset(ranks_);
    const auto keep = [this](int64_t n) { return share_.KeptOf(n); };
    for (int64_t i = 0; i < step_; ++i) sizes.Divide(keep);
    Totals totals;
    for (const PartSizes::Entry& entry : sizes.entries()) {
      const auto parts = static_cast<double>(entry.parts);
      totals.messages += parts;
      totals.blocks += parts * static_cast<double>(entry.size - share_.KeptOf(entry.size));
    }
    return totals;
  }

  // A larger part has a larger message.
  void Notable(RankList* out) const override {
    Part largest{0, ranks_};
    for (int64_t i = 0; i < step_; ++i) {
      const int64_t kept = share_.KeptOf(largest.size);
      if (2 * kept >= largest.size) {
        largest.size = kept;
      } else {
        largest = {largest.begin + kept, largest.size - kept};
      }
    }
    out->Add(RankOf(largest.begin));
    out->Add(RankOf(largest.begin + share_.KeptOf(largest.size)));
  }

 private:
  // The part that contains v at this step.
  Part PartOf(int64_t v) const {
    Part part{0, ranks_};
    for (int64_t i = 0; i < step_ && part.size > 1; ++i) {
      const int64_t kept = share_.KeptOf(part.size);
      if (v < part.begin + kept) {
        part.size = kept;
      } else {
        part = {part.begin + kept, part.size - kept};
      }
    }
    return part;
  }
  int64_t RankOf(int64_t v) const { return (v + root_) % ranks_; }

  int64_t ranks_;
  int64_t root_;
  Share share_;
  int64_t step_;
};

constexpr char kNames[2] = {};  // the address of one is its direction's name

}  // namespace

absl::Status UnevenHalvesApply(const Scenario& scenario, const Knobs& knobs) {
  if (knobs.gamma_permille >= kWhole) {
    return absl::FailedPreconditionError(
        absl::StrCat("takes a gamma of 1 to 999 (per mille), not ", knobs.gamma_permille));
  }
  // The messages are too few and too different to estimate them from some of the ranks.
  const int64_t nodes = Nodes(scenario).count;
  if (scenario.ranks > kCountedRanks && nodes > 1 && nodes < scenario.ranks) {
    return absl::FailedPreconditionError(absl::StrCat("is worked out for at most ", kCountedRanks,
                                                      " ranks on nodes of several, not ",
                                                      scenario.ranks));
  }
  if (StepCount(Share(knobs), scenario.ranks) <= kMaxUnevenSteps) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("takes more than ", kMaxUnevenSteps, " steps for ", scenario.ranks,
                   " ranks and this gamma: take one nearer to 500"));
}

template <Direction kDirection>
void BuildUnevenHalves(const Scenario& scenario, const Knobs& knobs, model::Schedule* schedule) {
  const Share share(knobs);
  const int64_t steps = StepCount(share, scenario.ranks);
  const bool from_root = kDirection == Direction::kFromRoot;
  std::array<int64_t, kMaxUnevenSteps + 1> largest;  // part at each step
  largest[0] = scenario.ranks;
  for (size_t i = 1; i < largest.size(); ++i) {
    largest[i] = largest[i - 1] > 1 ? share.LargestOf(largest[i - 1]) : 1;
  }
  for (int64_t i = 0; i < steps; ++i) {
    const int64_t step = from_root ? i : steps - 1 - i;
    const ExchangeId id{&kNames[from_root ? 0 : 1], step, share.permille()};
    const DivideParts divide(scenario, share, step);
    model::Phase& phase = schedule->Add();
    phase.traffic =
        from_root ? TrafficOf(divide, id, scenario) : TrafficOf(Mirrored(divide), id, scenario);
    phase.work.touched_bytes = phase.traffic.any.max_message_bytes;
    phase.submachine = CutTo(scenario, largest[static_cast<size_t>(step)]);
  }
}

template <Direction kDirection>
void EnumerateUnevenHalves(const Scenario& scenario, const Knobs& knobs, MessageSink sink) {
  const Share share(knobs);
  const auto rank_of = [&scenario](int64_t v) { return (v + scenario.root) % scenario.ranks; };
  std::vector<std::vector<Message>> steps;
  std::vector<Part> parts = {{0, scenario.ranks}};
  while (!parts.empty()) {
    std::vector<Part> next;
    std::vector<Message> messages;
    for (const Part& part : parts) {
      if (part.size == 1) continue;
      const int64_t kept = share.KeptOf(part.size);
      const Part rest{part.begin + kept, part.size - kept};
      messages.push_back(
          {0, 0, rank_of(part.begin), rank_of(rest.begin),
           static_cast<double>(rest.size) * static_cast<double>(scenario.block_bytes)});
      next.push_back({part.begin, kept});
      next.push_back(rest);
    }
    if (!messages.empty()) steps.push_back(std::move(messages));
    parts = std::move(next);
  }
  if constexpr (kDirection == Direction::kToRoot) {
    std::reverse(steps.begin(), steps.end());
    for (auto& messages : steps) {
      for (Message& message : messages) std::swap(message.source, message.destination);
    }
  }
  Enumeration out(scenario, sink);
  for (const auto& messages : steps) {
    for (const Message& m : messages) out.Send(m.source, m.destination, m.bytes);
    out.EndPhase();
  }
}

template void BuildUnevenHalves<Direction::kFromRoot>(const Scenario&, const Knobs&,
                                                      model::Schedule*);
template void BuildUnevenHalves<Direction::kToRoot>(const Scenario&, const Knobs&,
                                                    model::Schedule*);
template void EnumerateUnevenHalves<Direction::kFromRoot>(const Scenario&, const Knobs&,
                                                          MessageSink);
template void EnumerateUnevenHalves<Direction::kToRoot>(const Scenario&, const Knobs&, MessageSink);

}  // namespace cox::strategy
