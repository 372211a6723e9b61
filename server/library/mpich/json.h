// The JSON of MPICH's selection files as the json-c within MPICH 4.0.2 reads it: nested objects in
// the order of the file, and no other values, which make the library abort. Pure, any thread.
#ifndef COX_LIBRARY_MPICH_JSON_H_
#define COX_LIBRARY_MPICH_JSON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::library {

struct JsonMember {
  std::string key;  // without blanks: the library removes them first
  int64_t line = 1;
  std::vector<JsonMember> members;  // of the key's object; empty for a leaf
};

// The deepest nesting that json-c reads.
inline constexpr int kMaxJsonDepth = 32;

// The members of the outermost object. Ignores comments (/* */ and //), a comma before a closing
// brace, and anything after the object. INVALID_ARGUMENT with the line for broken text, for values
// other than objects, and for escapes in keys, which no key of the library has.
absl::StatusOr<std::vector<JsonMember>> ReadJsonObjects(absl::string_view text);

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_JSON_H_
