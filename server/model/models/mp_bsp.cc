// MP-BSP: BSP for machines that pass single words (the MasPar). Every step, in which each rank
// writes at most one word, pays the latency.
#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"
#include "model/models/word_steps.h"

namespace cox::model {
namespace {

enum Index : size_t { kG, kL, kWord, kCopy, kReduce, kOperation, kCount };

constexpr ParameterSpec kParameters[kCount] = {
    {"g", domain::Level::kNetwork, "s/byte",
     "time per byte of the words that one rank receives in a step", true, 0},
    {"L", domain::Level::kNetwork, "s",
     "time of a step in which nobody receives more than one word", true, 0},
    {"word", domain::Level::kNetwork, "byte", "size of a word", false, 4, true},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

double WordBytes(const Values& values) { return std::max(1.0, values[kWord]); }

class MpBspModel final : public ChargedModel<MpBspModel> {
 public:
  static constexpr ModelCard kCard = {
      "mp-bsp",
      "one word per rank and step, every step pays the latency",
      "B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation "
      "models, ACM TOCS 16(3), 1998, sections 2.1 and 3.5",
      "latency, bandwidth, endpoint contention",
      "long messages, imbalance, link congestion, levels",
      kParameters,
      true};

  template <class Bill>
  static void Charge(const Values& values, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    if (traffic.any()) {
      const WordSteps words(traffic, WordBytes(values));
      bill->Add(Term::kLatency, kL, words.steps);
      bill->Add(Term::kBandwidth, kG, words.received * WordBytes(values));
    }
    ChargeSelf(phase, kCopy, bill);
  }

  std::string OwnCaveat(const Values& values, const Schedule& schedule) const override {
    return OneWordPerStepCaveat(schedule, WordBytes(values));
  }
};

}  // namespace

const Model& MpBsp() {
  static const MpBspModel kModel;
  return kModel;
}

}  // namespace cox::model
