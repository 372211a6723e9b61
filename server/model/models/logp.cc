// LogP: small messages of one size; latency, processor overhead, gap. A longer message counts as
// several small ones.
#include "domain/level.h"
#include "model/models/charged_model.h"
#include "model/models/models.h"
#include "model/models/one_level.h"
#include "model/models/self_work.h"

namespace cox::model {
namespace {

enum Index : size_t { kL, kO, kG, kWord, kCopy, kReduce, kOperation, kCount };

constexpr ParameterSpec kParameters[kCount] = {
    {"L", domain::Level::kNetwork, "s", "latency of a small message", true, 0},
    {"o", domain::Level::kNetwork, "s",
     "processor's overhead to send or to receive a small message", true, 0},
    {"g", domain::Level::kNetwork, "s", "least time between two small messages of a rank", true, 0},
    {"w", domain::Level::kNetwork, "byte", "size of a small message", true, 1, true},
    kCopyParameter,
    kReduceParameter,
    kOperationParameter,
};

double WordBytes(const Values& values) { return std::max(1.0, values[kWord]); }

class LogPModel final : public ChargedModel<LogPModel> {
 public:
  static constexpr ModelCard kCard = {
      "logp",
      "small messages: latency, overhead at both ends, gap between messages",
      "D. Culler et al., LogP: towards a realistic model of parallel computation, PPoPP 1993",
      "latency, gap, processor overhead",
      "long messages, imbalance, link congestion, endpoint contention, levels",
      kParameters,
      false};

  // The processor spends o on each message out and in. Between messages it waits if the gap is
  // longer than the overheads within it.
  template <class Bill>
  static void Charge(const Values& values, const Schedule& /*schedule*/, const Phase& phase,
                     Bill* bill) {
    const OneLevel traffic(phase);
    if (traffic.any()) {
      const double sent =
          PacketsOfMessages(traffic.sends_count, traffic.out_bytes, WordBytes(values));
      const double received =
          PacketsOfMessages(traffic.receives_count, traffic.in_bytes, WordBytes(values));
      const double messages = std::max(sent, received);
      const double gaps = std::max(0.0, messages - 1);
      // One rank does both; or one rank sends and another receives, which adds the last message's
      // receive.
      const double overheads = traffic.disjoint ? messages + 1 : sent + received;
      const double per_gap = messages > 0 ? overheads / messages : 0;
      bill->Add(Term::kLatency, kL, 1);
      bill->Add(Term::kStartup, kO, overheads);
      if (values[kG] > per_gap * values[kO]) {
        // The wait is (g - per_gap o); the overheads above pay the rest.
        bill->Add(Term::kGap, kG, gaps);
        bill->Add(Term::kGap, kO, -gaps * per_gap);
      }
    }
    ChargeSelf(phase, kCopy, bill);
  }

  std::string OwnCaveat(const Values& values, const Schedule& schedule) const override {
    if (!HasMessageAbove(schedule, WordBytes(values))) return "";
    return "LogP has no long messages: each is counted as many of w bytes (see loggp)";
  }
};

}  // namespace

const Model& LogP() {
  static const LogPModel kModel;
  return kModel;
}

}  // namespace cox::model
