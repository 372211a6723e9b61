// The table of RPCs and the role that each needs. Pure data; any thread.
#ifndef COX_ACCESS_RULES_H_
#define COX_ACCESS_RULES_H_

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "access/role.h"

namespace cox::access {

enum class CallKind {
  kQuick,   // unless its request makes it heavy: then the service counts it
  kHeavy,   // reads many rows or prices many scenarios: counts against a quota
  kChange,  // leaves a record in the audit
};

struct Rule {
  absl::string_view method;  // "cox.v1.AdviceService/Recommend"
  Role role;                 // the least one that may call it
  CallKind kind = CallKind::kQuick;
};

// A row for every RPC of cox.v1, and no other row: else rules.cc does not compile.
absl::Span<const Rule> Rules();

// Null: there is no row.
const Rule* FindRule(absl::string_view method);

}  // namespace cox::access

#endif  // COX_ACCESS_RULES_H_
