// Compares changes of parameters with what coxd's models say of these parameters: a value
// in another unit than the parameter's is refused, and a change that no answer depends on is noted.
// Not thread-safe.
#ifndef COX_CLI_OUTPUT_WHAT_IF_CHECK_H_
#define COX_CLI_OUTPUT_WHAT_IF_CHECK_H_

#include <cox/v1/model.pb.h>

#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cli/options/what_if.h"
#include "cli/session.h"

namespace cox::cli {

// INVALID_ARGUMENT if no parameter that a change names takes the unit in `options.units`.
absl::Status CheckUnits(const v1::ListModelsResponse& models, const WhatIfOptions& options);

// A note for each change that affects only other models than `used`.
std::vector<std::string> IdleChanges(const v1::ListModelsResponse& models,
                                     const WhatIfOptions& options,
                                     const std::set<std::string>& used);

class WhatIfCheck {
 public:
  explicit WhatIfCheck(const WhatIfOptions& options) : options_(options) {}

  // Before the questions. Asks coxd for its models if there are changes. Fails as CheckUnits()
  // does.
  absl::Status Begin(Session& session);
  // The model of an answer.
  void AddUsed(const std::string& model) { used_.insert(model); }
  // After the answers.
  void Note(Session& session) const;

 private:
  const WhatIfOptions& options_;
  v1::ListModelsResponse models_;
  std::set<std::string> used_;
};

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_WHAT_IF_CHECK_H_
