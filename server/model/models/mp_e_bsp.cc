// MP-E-BSP: MP-BSP where a step in which few ranks send costs less. The time of a partial
// permutation with p' senders is T_unb(p') = active p' + root sqrt(p') + base.
#include <cmath>

#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"
#include "model/models/word_steps.h"

namespace cox::model {
namespace {

enum Index : size_t { kActive, kRoot, kBase, kWord, kCopy, kReduce, kOperation, kCount };

constexpr ParameterSpec kParameters[kCount] = {
    {"active", domain::Level::kNetwork, "s", "time per rank that sends in a step", true, 0},
    {"root", domain::Level::kNetwork, "s", "time per square root of the ranks that send in a step",
     true, 0},
    {"base", domain::Level::kNetwork, "s", "time of a step", true, 0},
    {"word", domain::Level::kNetwork, "byte", "size of a word", false, 4, true},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

double WordBytes(const Values& values) { return std::max(1.0, values[kWord]); }

class MpEBspModel final : public ChargedModel<MpEBspModel> {
 public:
  static constexpr ModelCard kCard = {
      "mp-e-bsp",
      "one word per rank and step, a step is the cheaper the fewer ranks send",
      "B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation "
      "models, ACM TOCS 16(3), 1998, section 3.5, Eq. (1)",
      "latency, imbalance, endpoint contention",
      "long messages, cheap patterns, link congestion, levels",
      kParameters,
      true};

  // Several words that meet at one rank in a step take as many steps.
  template <class Bill>
  static void Charge(const Values& values, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    if (traffic.any()) {
      const WordSteps words(traffic, WordBytes(values));
      const double active = words.words / words.received;
      bill->Add(Term::kGap, kActive, words.received * active);
      bill->Add(Term::kGap, kRoot, words.received * std::sqrt(active));
      bill->Add(Term::kLatency, kBase, words.received);
    }
    ChargeSelf(phase, kCopy, bill);
  }

  std::string OwnCaveat(const Values& values, const Schedule& schedule) const override {
    return OneWordPerStepCaveat(schedule, WordBytes(values));
  }
};

}  // namespace

const Model& MpEBsp() {
  static const MpEBspModel kModel;
  return kModel;
}

}  // namespace cox::model
