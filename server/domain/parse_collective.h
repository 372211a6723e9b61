// From a name to a collective. Apart from collective.h because the agent must not see Abseil.
#ifndef COX_DOMAIN_PARSE_COLLECTIVE_H_
#define COX_DOMAIN_PARSE_COLLECTIVE_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "domain/collective.h"

namespace cox::domain {

// NOT_FOUND, with all names, for a name that no strategy has. Such a collective can still be
// learned from data alone.
absl::StatusOr<Collective> ParseCollective(absl::string_view name);

}  // namespace cox::domain

#endif  // COX_DOMAIN_PARSE_COLLECTIVE_H_
