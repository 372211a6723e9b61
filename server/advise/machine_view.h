// One machine as questions see it: shape, parameters, corrections, all immutable. The daemon builds
// a new view when a profile or the observations change and swaps it in. Questions read it without a
// lock, on any thread.
#ifndef COX_ADVISE_MACHINE_VIEW_H_
#define COX_ADVISE_MACHINE_VIEW_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "domain/profile.h"
#include "domain/withdrawal.h"
#include "learn/accuracy.h"
#include "learn/correct/corrections.h"
#include "learn/samples.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::advise {

// Levels of communication between ranks.
struct Levels {
  bool node = false;
  bool network = false;
};

// What canaries have shown.
struct GuardFacts {
  std::vector<domain::Withdrawal> withdrawals{};  // in force
  std::vector<domain::Comparison> comparisons{};  // of other algorithms
};

struct MachineView {
  std::string name;
  int64_t nodes = 0;
  int64_t cores_per_node = 0;
  int64_t revision = 0;  // of the profile; 0: there is none
  domain::Profile profile;

  // Parameter values per model, in the order of model::Models(); empty where the profile lacks one.
  std::vector<model::ParameterValues> values;
  // The selected model; null when no model can be priced.
  const model::Model* model = nullptr;
  const model::ParameterValues* model_values = nullptr;   // into values
  std::shared_ptr<const learn::Corrections> corrections;  // never null
  std::vector<learn::Cell> cells;                         // everything was learned from these
  std::set<std::string, std::less<>> timed_collectives;   // of the cells
  std::shared_ptr<const learn::Accuracy> accuracy;        // never null
  Levels timed;                                           // levels that any cell communicates at
  Levels assumed;                                         // AssumedLevels() in caveats.h
  bool is_what_if = false;                                // the values are a question's
  GuardFacts guard;
};

// Learns corrections and accuracy, O(n log n) for n cells. `profile` is valid.
std::shared_ptr<const MachineView> BuildMachineView(std::string name, int64_t nodes,
                                                    int64_t cores_per_node, int64_t revision,
                                                    domain::Profile profile,
                                                    absl::Span<const learn::Cell> cells,
                                                    GuardFacts guard = {});

}  // namespace cox::advise

#endif  // COX_ADVISE_MACHINE_VIEW_H_
