// Turns a name into a collective. Separate from collective.h because the agent must not include
// Abseil.
#ifndef COX_DOMAIN_PARSE_COLLECTIVE_H_
#define COX_DOMAIN_PARSE_COLLECTIVE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/collective.h"

namespace cox::domain {

// NOT_FOUND, listing all names, for a name that no strategy has. coxd can still learn the times of
// that collective from data.
absl::StatusOr<Collective> ParseCollective(absl::string_view name);

}  // namespace cox::domain

#endif  // COX_DOMAIN_PARSE_COLLECTIVE_H_
