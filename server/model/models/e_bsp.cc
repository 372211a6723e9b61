// E-BSP: BSP that tells balanced from unbalanced communication. A phase is a (V, h)-relation, V
// bytes in all and at most h of one rank; its price is the larger of a full relation of V / p bytes
// each and of a scatter of h bytes.
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
      const double full_s = values.At(kG, v) * v + values.At(kL, v);
      const double scatter_s = values.At(kScatterG, h) * h + values.At(kScatterL, h);
      if (full_s >= scatter_s) {
        bill->Add(Term::kBandwidth, kG, v, v);
        bill->Add(Term::kSync, kL, 1, v);
      } else {
        bill->Add(Term::kBandwidth, kScatterG, h, h);
        bill->Add(Term::kSync, kScatterL, 1, h);
      }
    }
    ChargeSelf(phase, kCopy, bill);
  }
};

}  // namespace

const Model& EBsp() {
  static const EBspModel kModel;
  return kModel;
}

}  // namespace cox::model
