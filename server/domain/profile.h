// A machine's parameters for all models: the pure part of a profile revision. The store adds the
// author and the time. Plain data.
#ifndef COX_DOMAIN_PROFILE_H_
#define COX_DOMAIN_PROFILE_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "domain/parameter.h"
#include "domain/shape.h"

namespace cox::domain {

struct Profile {
  std::vector<Parameter> parameters;
  Shape shape;  // of the machine that the parameters describe

  bool empty() const { return parameters.empty(); }
  // The first piece, from the start; null when absent.
  const Parameter* Find(absl::string_view model, Level level, absl::string_view name) const;
  // Adds, or replaces the one with the same (model, level, name, above).
  void Set(Parameter parameter);
};

}  // namespace cox::domain

#endif  // COX_DOMAIN_PROFILE_H_
