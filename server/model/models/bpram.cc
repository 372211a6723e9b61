// BPRAM: steps in which each rank sends at most one message and receives at most one, of any
// length. A phase in which a rank has several is that many steps.
#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"

namespace cox::model {
namespace {

enum Index : size_t { kSigma, kEll, kCopy, kReduce, kOperation, kCount };

constexpr ParameterSpec kParameters[kCount] = {
    {"sigma", domain::Level::kNetwork, "s/byte", "time per byte of a block", true, 0},
    {"ell", domain::Level::kNetwork, "s", "start-up of a block", true, 0},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

constexpr absl::string_view kSource =
    "B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation "
    "models, ACM TOCS 16(3), 1998, section 2.3; A. Aggarwal, A. K. Chandra, M. Snir, On "
    "communication latency in PRAM computations, 1989";

std::string CaveatOf(const Schedule& schedule) {
  for (const Phase& phase : schedule) {
    const double messages = OneLevel(phase).messages();
    if (messages > 1) {
      return absl::StrCat("a rank has up to ", messages,
                          " messages at once: taken as permutations, one by one");
    }
  }
  return "";
}

// A message in a step of the staggered order: in step (by, again) each rank sends to the rank `by`
// further on, the message of that pair that `again` others come before.
struct Staggered {
  int64_t by;
  int64_t again;
  int64_t source;
  double bytes;
};

std::vector<Staggered> StaggerAll(absl::Span<const Transfer> messages, int64_t ranks) {
  std::vector<Staggered> staggered;
  staggered.reserve(messages.size());
  for (const Transfer& message : messages) {
    if (message.source == message.destination) continue;
    const int64_t by = (message.destination - message.source + ranks) % ranks;
    staggered.push_back({by, 0, message.source, message.bytes});
  }
  std::sort(staggered.begin(), staggered.end(), [](const Staggered& a, const Staggered& b) {
    return std::tie(a.by, a.source, b.bytes) < std::tie(b.by, b.source, a.bytes);
  });
  for (size_t i = 1; i < staggered.size(); ++i) {
    const Staggered& before = staggered[i - 1];
    Staggered& here = staggered[i];
    if (here.by == before.by && here.source == before.source) here.again = before.again + 1;
  }
  std::sort(staggered.begin(), staggered.end(), [](const Staggered& a, const Staggered& b) {
    return std::tie(a.by, a.again, a.source) < std::tie(b.by, b.again, b.source);
  });
  return staggered;
}

// The longest message of a step; on single ports, the most bytes that a rank sends and receives.
double StepBytes(absl::Span<const Staggered> step, int64_t ranks, bool single_port) {
  double longest = 0;
  for (const Staggered& message : step) {
    double bytes = message.bytes;
    if (single_port) {
      const int64_t sender = (message.source - message.by + ranks) % ranks;
      const auto received = std::lower_bound(
          step.begin(), step.end(), sender,
          [](const Staggered& other, int64_t rank) { return other.source < rank; });
      if (received != step.end() && received->source == sender) bytes += received->bytes;
    }
    longest = std::max(longest, bytes);
  }
  return longest;
}

// A rank with several messages sends them in staggered order (section 4): every step is as long as
// its longest message, whoever has it.
Cost PriceStaggered(const Values& values, const Schedule& schedule,
                    absl::Span<const Transfer> messages, bool single_port) {
  const auto ranks = static_cast<int64_t>(schedule.whole().processors_count);
  const std::vector<Staggered> staggered = StaggerAll(messages, ranks);
  double steps = 0;
  double bytes = 0;
  for (size_t begin = 0; begin < staggered.size();) {
    size_t end = begin;
    while (end < staggered.size() && staggered[end].by == staggered[begin].by &&
           staggered[end].again == staggered[begin].again) {
      ++end;
    }
    bytes +=
        StepBytes(absl::MakeConstSpan(staggered).subspan(begin, end - begin), ranks, single_port);
    ++steps;
    begin = end;
  }
  PriceBill bill(values);
  bill.Add(Term::kStartup, kEll, steps);
  bill.Add(Term::kBandwidth, kSigma, bytes);
  ChargeSelf(schedule[0], kCopy, &bill);
  return bill.cost();
}

class BpramModel final : public ChargedModel<BpramModel> {
 public:
  static constexpr ModelCard kCard = {
      "bpram",
      "permutations of blocks: a start-up and a time per byte, synchronous",
      kSource,
      "latency, bandwidth, long messages",
      "imbalance, endpoint contention, link congestion, levels",
      kParameters,
      true};

  template <class Bill>
  static void Charge(const Values& /*values*/, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    bill->Add(Term::kStartup, kEll, traffic.messages());
    bill->Add(Term::kBandwidth, kSigma, traffic.bytes());
    ChargeSelf(phase, kCopy, bill);
  }

  std::optional<Cost> PriceListed(const Values& values, const Schedule& schedule,
                                  absl::Span<const Transfer> messages) const override {
    return PriceStaggered(values, schedule, messages, false);
  }

  std::string OwnCaveat(const Values& /*values*/, const Schedule& schedule) const override {
    return CaveatOf(schedule);
  }
};

// The same where a rank cannot send and receive at once.
class SinglePortBpramModel final : public ChargedModel<SinglePortBpramModel> {
 public:
  static constexpr ModelCard kCard = {
      "bpram-1port",
      "permutations of blocks where a rank either sends or receives",
      kSource,
      "latency, bandwidth, long messages, half-duplex links",
      "imbalance, endpoint contention, link congestion, levels",
      kParameters,
      true};

  template <class Bill>
  static void Charge(const Values& /*values*/, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    bill->Add(Term::kStartup, kEll, traffic.messages());
    bill->Add(Term::kBandwidth, kSigma, traffic.bytes_both_ways());
    ChargeSelf(phase, kCopy, bill);
  }

  std::optional<Cost> PriceListed(const Values& values, const Schedule& schedule,
                                  absl::Span<const Transfer> messages) const override {
    return PriceStaggered(values, schedule, messages, true);
  }

  std::string OwnCaveat(const Values& /*values*/, const Schedule& schedule) const override {
    return CaveatOf(schedule);
  }
};

}  // namespace

const Model& Bpram() {
  static const BpramModel kModel;
  return kModel;
}

const Model& SinglePortBpram() {
  static const SinglePortBpramModel kModel;
  return kModel;
}

}  // namespace cox::model
