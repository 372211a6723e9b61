// One parameter value of a model on a machine. Plain data.
#ifndef COX_DOMAIN_PARAMETER_H_
#define COX_DOMAIN_PARAMETER_H_

#include <string>

#include "domain/level.h"

namespace cox::domain {

struct Parameter {
  std::string model;
  Level level = Level::kNetwork;
  std::string name;
  double value = 0;    // in the unit of the model's ParameterSpec
  double stderr_ = 0;  // standard error of value, same unit; 0: exact or unknown
  std::string source;  // origin: "calibrated: 180 samples", a paper's table, ...
  // A piecewise parameter has several values. This one applies where the argument (see
  // ParameterSpec) is greater than `above`, up to the next piece. 0: from the start.
  double above = 0;
  // How the value is known: "" measured or stated; "<=" an upper bound; "sum" only a sum is known,
  // and this value represents it (the source names its parts).
  std::string relation{};
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_PARAMETER_H_
