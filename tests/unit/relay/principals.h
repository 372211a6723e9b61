// Principals for the tests of a relay's quotas.
#ifndef COX_TESTS_UNIT_RELAY_PRINCIPALS_H_
#define COX_TESTS_UNIT_RELAY_PRINCIPALS_H_

#include <string>

#include "access/principal.h"

namespace cox::relay {

// Somebody with a token.
inline access::Principal Of(const std::string& name, access::Role role = access::Role::kReporter) {
  access::Principal principal;
  principal.kind = access::Principal::Kind::kToken;
  principal.name = name;
  principal.role = role;
  return principal;
}

}  // namespace cox::relay

#endif  // COX_TESTS_UNIT_RELAY_PRINCIPALS_H_
