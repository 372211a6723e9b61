// A persistent pattern: its iterations, its records of them, and the times at which its ranks
// decide again.
#ifndef COX_COLLECTIVES_PROTOCOLS_PATTERN_H_
#define COX_COLLECTIVES_PROTOCOLS_PATTERN_H_

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "collectives/choice/pattern_chooser.h"
#include "collectives/engine/channel.h"
#include "collectives/engine/operation.h"
#include "cox/coll.h"
#include "domain/coxcoll_costs.h"

namespace cox::collectives {

// Functions return MPI_SUCCESS or an error class through Fail(). One iteration at a time; any
// thread may ask for the state. Its operations keep it alive.
class Pattern : public std::enable_shared_from_this<Pattern> {
 public:
  struct State {
    const char* algorithm = "";  // static storage
    int changes = 0;
    double predicted_s = 0;
    double measured_s = 0;
  };

  // path: of the profile, "" for none; only rank 0 reads it. Waits for all ranks, which all get
  // rank 0's error (MPI_ERR_ARG).
  static int Make(std::shared_ptr<Channel> channel, const std::string& path,
                  std::shared_ptr<Pattern>* pattern);

  // Prepares the next iteration; the caller launches *operation. MPI_ERR_REQUEST while the previous
  // iteration is not complete.
  int Next(std::span<const cox_message> messages, std::shared_ptr<Operation>* operation);

  // As of the last decision.
  State state() const;

 private:
  explicit Pattern(std::shared_ptr<Channel> channel);

  std::unique_ptr<Protocol> Decide(std::span<const cox_message> messages);
  std::unique_ptr<Protocol> Timed(std::unique_ptr<Protocol> protocol);

  const std::shared_ptr<Channel> channel_;
  mutable std::mutex mutex_;   // of the members below
  domain::CostProfile costs_;  // on rank 0
  bool measures_costs_ = false;
  std::unique_ptr<PatternChooser> chooser_;  // on rank 0
  std::weak_ptr<Operation> former_;
  std::vector<double> times_s_;  // of this rank's iterations since the last decision
  int starts_left_ = 0;          // iterations before the next decision
  int candidate_ = -1;
  State state_;
};

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_PROTOCOLS_PATTERN_H_
