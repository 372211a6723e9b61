// The JSON of MPICH's selection files: objects in objects and nothing else, in the order of the
// file, as the json-c within MPICH 4.0.2 reads it. Not a JSON parser: any other value makes the
// library abort. Pure, any thread.
#ifndef COX_LIBRARY_MPICH_JSON_H_
#define COX_LIBRARY_MPICH_JSON_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::library {

struct JsonMember {
  std::string key;  // blanks removed, as the library does before it looks at a key
  int64_t line = 1;
  std::vector<JsonMember> members;  // of the object that the key stands for; {} for a leaf
};

// The deepest nesting that json-c reads.
inline constexpr int kMaxJsonDepth = 32;

// The members of the outermost object. Comments (/* */ and //) and a comma before a closing brace
// are read over, as is anything after the object. INVALID_ARGUMENT with the line for what is broken
// or no object; escapes in keys are among that: no key of the library has one.
absl::StatusOr<std::vector<JsonMember>> ReadJsonObjects(absl::string_view text);

}  // namespace cox::library

#endif  // COX_LIBRARY_MPICH_JSON_H_
