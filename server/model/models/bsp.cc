// BSP: every phase is a superstep. The price is that of the busiest processor's bytes and of one
// synchronisation, whatever the number of messages.
#include <cmath>

#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"

namespace cox::model {
namespace {

enum Index : size_t { kG, kL, kStartup, kCopy, kReduce, kOperation, kCount };

constexpr absl::string_view kBytes = "bytes that the busiest rank sends or receives";
constexpr ParameterSpec kParameters[kCount] = {
    {"g", domain::Level::kNetwork, "s/byte", "time per byte of a full h-relation", true, 0, false,
     kBytes},
    {"L", domain::Level::kNetwork, "s", "latency and barrier of a superstep", true, 0, false,
     kBytes},
    {"startup", domain::Level::kNetwork, "s",
     "start-up of a message; where it is above 0, a superstep pays as many as its library sends "
     "(messages out, messages in, log2 p) in the place of L",
     false, 0, true},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

class BspModel final : public ChargedModel<BspModel> {
 public:
  static constexpr ModelCard kCard = {
      "bsp",
      "supersteps: a time per byte of the busiest rank, and one for latency and barrier",
      "B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation "
      "models, ACM TOCS 16(3), 1998, sections 2.1 and 5.1; L. G. Valiant, A bridging model for "
      "parallel computation, 1990",
      "bandwidth, latency (as part of the barrier)",
      "number and length of messages, imbalance, endpoint contention, link congestion, levels",
      kParameters,
      false};

  template <class Bill>
  static void Charge(const Values& values, const Schedule& schedule, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    if (HasBarrier(schedule, phase, traffic)) {
      const double h_bytes = traffic.bytes();
      bill->Add(Term::kBandwidth, kG, h_bytes, h_bytes);
      if (values[kStartup] > 0) {
        const double ranks = std::max(1.0, schedule.whole().processors_count);
        bill->Add(Term::kStartup, kStartup,
                  traffic.sends_count + traffic.receives_count + std::log2(ranks));
      } else {
        bill->Add(Term::kSync, kL, 1, h_bytes);
      }
    }
    ChargeSelf(phase, kCopy, bill);
  }
};

}  // namespace

const Model& Bsp() {
  static const BspModel kModel;
  return kModel;
}

}  // namespace cox::model
