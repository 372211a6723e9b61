// BPRAM: steps in which each rank sends at most one message and receives at most one, of any
// length. A phase in which a rank has several is that many steps.
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
                          " messages at once: taken as that many permutations, one by one");
    }
  }
  return "";
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
