// E-BSP: BSP that tells balanced from unbalanced communication. A phase is a (V, h)-relation, V
// bytes in all and at most h of one rank. It costs max(g V / p, g' h) + L: the larger of the byte
// times of a full relation of V / p bytes each and of a scatter of h bytes, and then L, which is no
// part of the comparison. A machine on which a scatter has another L than a full relation states
// it; the side with the larger byte time adds its own. If that L is less, as on the GCel, a longer
// message that turns a full relation into a scatter lowers the price.
#include <optional>

#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"

namespace cox::model {
namespace {

enum Index : size_t { kG, kL, kScatterG, kScatterL, kCopy, kReduce, kOperation, kCount };

constexpr absl::string_view kMean = "bytes that a rank sends on average";
constexpr absl::string_view kBusiest = "bytes that the busiest rank sends or receives";
constexpr ParameterSpec kParameters[kCount] = {
    {"g", domain::Level::kNetwork, "s/byte", "time per byte of a full h-relation", true, 0, false,
     kMean},
    {"L", domain::Level::kNetwork, "s", "latency and barrier of a superstep", true, 0, false,
     kMean},
    {"g_scatter", domain::Level::kNetwork, "s/byte", "time per byte that one rank scatters to all",
     true, 0, false, kBusiest},
    {"L_scatter", domain::Level::kNetwork, "s",
     "latency and barrier of a superstep that is a scatter: L, unless it was measured apart", true,
     0, false, kBusiest},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

struct Relation {
  double mean_bytes;     // V / p
  double busiest_bytes;  // h
};

Relation RelationOf(const Schedule& schedule, const OneLevel& traffic) {
  const double ranks = schedule.whole().processors_count;
  const double h_bytes = traffic.bytes();
  // With an unknown number of ranks, the relation counts as balanced.
  return {ranks > 0 ? traffic.volume_bytes / ranks : h_bytes, h_bytes};
}

// What the bytes add to L. L is the time without bytes: a piece with another constant, such as the
// plateau of the GCel's curve, has the difference in its bytes' time.
double OverL(const Values& values, size_t per_byte, size_t constant, double bytes) {
  return values.At(per_byte, bytes) * bytes + values.At(constant, bytes) - values.At(constant, 0);
}

// By how much the bytes of a full relation take longer than those of a scatter.
double ExcessOf(const Values& values, const Relation& relation) {
  return OverL(values, kG, kL, relation.mean_bytes) -
         OverL(values, kScatterG, kScatterL, relation.busiest_bytes);
}

class EBspModel final : public ChargedModel<EBspModel> {
 public:
  static constexpr ModelCard kCard = {
      "e-bsp",
      "BSP where unbalanced communication may cost less than a full relation",
      "B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation "
      "models, ACM TOCS 16(3), 1998, sections 2.2 and 3",
      "bandwidth, latency (as part of the barrier), imbalance",
      "number and length of messages, endpoint contention, link congestion, levels",
      kParameters,
      false};

  template <class Bill>
  static void Charge(const Values& values, const Schedule& schedule, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    if (HasBarrier(schedule, phase, traffic)) {
      const Relation relation = RelationOf(schedule, traffic);
      const double v = relation.mean_bytes;
      const double h = relation.busiest_bytes;
      if (ExcessOf(values, relation) >= 0) {
        bill->Add(Term::kBandwidth, kG, v, v);
        bill->Add(Term::kSync, kL, 1, v);
        // A full relation waits at least as long as a scatter, so that no longer time is cheaper.
        if (values.At(kScatterL, 0) > values.At(kL, 0)) {
          bill->Add(Term::kSync, kScatterL, 1);
          bill->Add(Term::kSync, kL, -1);
        }
      } else {
        bill->Add(Term::kBandwidth, kScatterG, h, h);
        bill->Add(Term::kSync, kScatterL, 1, h);
      }
    }
    ChargeSelf(phase, kCopy, bill);
  }

  std::optional<double> Excess(const Values& values, const Schedule& schedule,
                               const Phase& phase) const override {
    const OneLevel traffic(phase);
    const bool may_fall = values.At(kL, 0) > values.At(kScatterL, 0);
    if (!may_fall || !HasBarrier(schedule, phase, traffic)) return {};
    return ExcessOf(values, RelationOf(schedule, traffic));
  }
};

}  // namespace

const Model& EBsp() {
  static const EBspModel kModel;
  return kModel;
}

}  // namespace cox::model
