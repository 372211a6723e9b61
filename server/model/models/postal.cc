// Postal: a packet arrives a fixed time after its send starts; meanwhile the sender can send
// others.
#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"

namespace cox::model {
namespace {

enum Index : size_t {
  kLambda,
  kLambdaByte,
  kGap,
  kGapByte,
  kPacket,
  kCopy,
  kReduce,
  kOperation,
  kCount
};

constexpr absl::string_view kPacketBytes = "bytes of a packet";
constexpr ParameterSpec kParameters[kCount] = {
    {"lambda", domain::Level::kNetwork, "s",
     "time from the start of a send to the end of its receive", true, 0, false, kPacketBytes},
    {"lambda_byte", domain::Level::kNetwork, "s/byte", "the same, for each byte of the packet",
     false, 0, false, kPacketBytes},
    {"g", domain::Level::kNetwork, "s", "least time between two packets of a sender", true, 0,
     false, kPacketBytes},
    {"g_byte", domain::Level::kNetwork, "s/byte", "the same, for each byte of the packet", false, 0,
     false, kPacketBytes},
    {"packet", domain::Level::kNetwork, "byte", "largest packet; longer messages are several", true,
     1, true},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

class PostalModel final : public ChargedModel<PostalModel> {
 public:
  static constexpr ModelCard kCard = {
      "postal",
      "packets that arrive a fixed time after they were sent, one after the other",
      "A. Bar-Noy, S. Kipnis, Designing broadcasting algorithms in the postal model for "
      "message-passing systems, 1992; as used in A. T. C. Tam, C.-L. Wang, Realistic communication "
      "model for parallel computing on cluster, 1999, Eq. (1)",
      "latency, gap, bandwidth",
      "endpoint contention, link congestion, imbalance, levels",
      kParameters,
      true};

  // The last packet of the busiest rank leaves after all gaps, and then takes lambda.
  template <class Bill>
  static void Charge(const Values& values, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    if (traffic.any()) {
      const double packet = std::max(1.0, values[kPacket]);
      const double packets =
          std::max(PacketsOfMessages(traffic.sends_count, traffic.out_bytes, packet),
                   PacketsOfMessages(traffic.receives_count, traffic.in_bytes, packet));
      const double bytes = std::min(packet, traffic.bytes() / std::max(1.0, traffic.messages()));
      bill->Add(Term::kLatency, kLambda, 1, bytes);
      bill->Add(Term::kLatency, kLambdaByte, bytes, bytes);
      const double gaps = std::max(0.0, packets - 1);
      bill->Add(Term::kGap, kGap, gaps, bytes);
      bill->Add(Term::kGap, kGapByte, gaps * bytes, bytes);
    }
    ChargeSelf(phase, kCopy, bill);
  }
};

}  // namespace

const Model& Postal() {
  static const PostalModel kModel;
  return kModel;
}

}  // namespace cox::model
