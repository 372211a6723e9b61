// Bounds the scenarios that machines have timings of, because learning keeps all of them in memory.
// Says which scenarios of a batch are new.
//
// A scenario counts once for timings of benchmarks and once for timings of jobs. The learner says
// what the store has, whenever it reads the cells of a machine; so what was forgotten leaves room.
// Until the learner has read a machine's cells after a start, each of its scenarios counts as new.
// A reporter may have at most three times what it leaves free (domain/sharing/shares.h): one alone
// cannot keep the others from naming new scenarios. What was stored before the start is nobody's.
//
// Any thread. No call waits for the disk; each costs O(rows), or O(cells) for the learner's.
// Memory: about 50 bytes for each scenario.
#ifndef COX_DAEMON_BOUNDS_SCENARIO_BOUND_H_
#define COX_DAEMON_BOUNDS_SCENARIO_BOUND_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "domain/sharing/shares.h"
#include "store/records.h"

namespace cox::daemon {

class ScenarioBound {
 public:
  struct Limits {
    int64_t of_machine;  // >= 1
    int64_t in_all;      // >= 1; of all machines together
  };
  // Room comes when somebody forgets reports or deletes a machine: nobody knows when.
  static constexpr double kFullDelay_s = 600;
  // Until a machine is read after the start.
  static constexpr double kReadingDelay_s = 2;

  explicit ScenarioBound(const Limits& limits) : state_(std::make_shared<State>(limits)) {}

  // The new scenarios of a batch that is on its way to the store. They go again with it, unless the
  // store has taken the batch. May outlive the bound.
  class Addition;
  // `owner` is the reporter. Without `has_share` it may take all that is free: for operators.
  // RESOURCE_EXHAUSTED, as domain::QuotaExceeded(), if there is no room; then nothing is added.
  absl::StatusOr<std::shared_ptr<Addition>> Admit(const std::string& owner, bool has_share,
                                                  const store::ObservationBatch& batch);
  // The same, but adds the new scenarios that find room, the first ones of the batch, and removes
  // the rows of the others from it. RESOURCE_EXHAUSTED if there is no room for all and a machine of
  // theirs waits for its first reading: a scenario may be known then.
  absl::StatusOr<std::shared_ptr<Addition>> AdmitSome(const std::string& owner, bool has_share,
                                                      store::ObservationBatch& batch);

  // Rows that AdmitSome() removed from batches that the store has.
  int64_t refused_count() const;

  // For the learner, at the start: the store may have cells of this machine.
  void AwaitReading(const std::string& machine);
  // For the learner, one machine at a time: before it reads the cells of a machine, and with what
  // it has read. What is added between the two calls stays.
  void BeginReading(const std::string& machine);
  void EndReading(const std::string& machine, const std::vector<store::CellRecord>& cells);
  // The machine is gone.
  void Remove(const std::string& machine);

  // Most cells of a machine that are worth reading: a few for each scenario, because a drift begins
  // new ones.
  int64_t most_cells() const { return kCellsPerScenario * state_->limits.of_machine; }

  // Scenarios of a machine that count now.
  int64_t CountOf(const std::string& machine) const;

 private:
  static constexpr int64_t kCellsPerScenario = 4;
  // Hashes of scenarios, by machine.
  using Scenarios = absl::flat_hash_map<std::string, absl::flat_hash_set<size_t>>;
  // Later reporters have no share of their own: what they add is nobody's.
  static constexpr size_t kMostOwners = 65'536;

  // A scenario of a batch, by hash; the batch has the name.
  struct Named {
    const std::string* machine;
    size_t scenario;
  };
  struct Scenario {
    uint32_t owner = 0;      // in owner_names; 0: nobody
    bool in_flight = false;  // the batch that added it is not stored yet
    bool is_stored = false;
    bool since_reading = false;  // added since BeginReading()
  };
  struct Machine {
    explicit Machine(int64_t limit) : held(limit) {}
    absl::flat_hash_map<size_t, Scenario> scenarios;  // by hash
    domain::Shares held;
  };
  struct State {
    explicit State(const Limits& the_limits) : limits(the_limits), held(limits.in_all) {}
    const Limits limits;
    mutable std::mutex mutex;  // guards what follows
    absl::flat_hash_map<std::string, Machine> machines;
    domain::Shares held;  // of all machines
    absl::flat_hash_set<std::string> unread;
    int64_t refused_count = 0;  // rows
    std::vector<std::string> owner_names{""};
    absl::flat_hash_map<std::string, uint32_t> owners{{"", 0}};

    // All with the mutex held.
    Scenarios NewOf(const std::vector<Named>& named) const;
    Machine& MachineOf(const std::string& name);
    uint32_t OwnerOf(const std::string& name);
    // The shares that have no room; null: taken.
    const domain::Shares* Take(const std::string& machine, uint32_t owner, bool has_share,
                               int64_t count);
    // Why it finds no room, and then nothing is taken; "": taken.
    std::string TakeAll(const Scenarios& added, uint32_t owner, bool has_share);
    // What finds room, and takes it out of `added`.
    Scenarios TakeSome(const std::vector<Named>& named, uint32_t owner, bool has_share,
                       Scenarios& added);
    std::string WhyFull(const std::string& machine, const domain::Shares& shares,
                        uint32_t owner) const;
    // One of these machines that waits for its first reading; null: none does.
    const std::string* UnreadOf(const Scenarios& added) const;
    void Add(Scenarios taken, uint32_t owner, Addition& addition);
    void GiveBack(Machine& machine, uint32_t owner, int64_t count);
    void EraseIfEmpty(const std::string& machine);
  };

  static std::vector<Named> ScenariosOf(const store::ObservationBatch& batch);

  const std::shared_ptr<State> state_;
};

class ScenarioBound::Addition {
 public:
  explicit Addition(std::shared_ptr<State> state) : state_(std::move(state)) {}
  ~Addition();
  Addition(const Addition&) = delete;
  Addition& operator=(const Addition&) = delete;

  // How many are new.
  int64_t count() const { return count_; }
  // Rows that AdmitSome() removed, and the timings in them.
  int64_t refused_count() const { return refused_count_; }
  int64_t refused_timing_count() const { return refused_timing_count_; }
  // Why; "": none were.
  const std::string& refused_reason() const { return refused_reason_; }
  // The store has the batch. At most once.
  void Keep();

 private:
  friend class ScenarioBound;
  const std::shared_ptr<State> state_;
  Scenarios added_;
  int64_t count_ = 0;
  int64_t refused_count_ = 0;
  int64_t refused_timing_count_ = 0;
  std::string refused_reason_;
  bool is_kept_ = false;
};

}  // namespace cox::daemon

#endif  // COX_DAEMON_BOUNDS_SCENARIO_BOUND_H_
