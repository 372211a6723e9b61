// A machine whose profile prices every model, with values for which the best strategy changes.
#ifndef COX_TESTS_UNIT_ADVISE_EVERY_MODEL_H_
#define COX_TESTS_UNIT_ADVISE_EVERY_MODEL_H_

#include <string>
#include <utility>

#include "advise/machine_view.h"
#include "domain/level.h"
#include "domain/profile.h"
#include "machines.h"
#include "model/model.h"

namespace cox::advise {

inline domain::Profile EveryModelsProfile() {
  domain::Profile profile;
  for (const model::Model* model : model::Models()) {
    double position = 1;
    for (const model::ParameterSpec& spec : model->parameters()) {
      position += 0.37;
      const bool is_size = spec.unit == "byte";
      if (!spec.required && !is_size) continue;
      const double level = spec.level == domain::Level::kNetwork ? 4 : 1;
      const double value = spec.unit == "s"        ? 1e-6 * level * position
                           : spec.unit == "s/byte" ? 1e-9 * level * position
                           : is_size               ? 48
                                                   : 3;
      profile.Set(learn::MakeParameter(std::string(model->id()), spec.level, std::string(spec.name),
                                       value));
    }
  }
  profile.Set(learn::MakeParameter("c3", domain::Level::kNetwork, "unit_time", 1e-6));
  return profile;
}

inline MachinePointer EveryModelsMachine() { return MachineWith({}, EveryModelsProfile()); }

}  // namespace cox::advise

#endif  // COX_TESTS_UNIT_ADVISE_EVERY_MODEL_H_
