// One machine as the advice path sees it: shape, parameters, corrections, all immutable. The
// service builds a new view when a profile or the observations change and swaps it in; questions
// read it without a lock.
#ifndef COX_ADVISE_MACHINE_VIEW_H_
#define COX_ADVISE_MACHINE_VIEW_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "domain/profile.h"
#include "learn/accuracy.h"
#include "learn/correct/correction.h"
#include "learn/samples.h"
#include "model/model.h"
#include "model/profile.h"

namespace cox::advise {

struct MachineView {
  std::string name;
  int64_t nodes = 0;
  int64_t cores_per_node = 0;
  int64_t revision = 0;  // of the profile; 0: there is none
  domain::Profile profile;

  // Parameter values per model, in the order of model::Models(); empty where the profile lacks one.
  std::vector<model::ParameterValues> values;
  // The model that speaks for this machine; null when no model can be priced.
  const model::Model* model = nullptr;
  const model::ParameterValues* model_values = nullptr;   // into values
  std::shared_ptr<const learn::Corrections> corrections;  // never null
  std::vector<learn::Cell> cells;                         // what everything was learned from
  std::shared_ptr<const learn::Accuracy> accuracy;        // never null
};

// Builds everything derived. `profile` is valid.
std::shared_ptr<const MachineView> BuildMachineView(std::string name, int64_t nodes,
                                                    int64_t cores_per_node, int64_t revision,
                                                    domain::Profile profile,
                                                    absl::Span<const learn::Cell> cells);

}  // namespace cox::advise

#endif  // COX_ADVISE_MACHINE_VIEW_H_
