// A number with its noun, for messages: "1 row", "2 rows". Pure, any thread.
#ifndef COX_DOMAIN_WORDS_COUNTED_H_
#define COX_DOMAIN_WORDS_COUNTED_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace cox::domain {

// `one` if `count` is 1, else `many`; "" for `many`: `one` with an "s".
inline std::string Plural(int64_t count, std::string_view one, std::string_view many = "") {
  if (count == 1) return std::string(one);
  return many.empty() ? std::string(one) + 's' : std::string(many);
}

// "1 switch", "2 switches".
inline std::string Counted(int64_t count, std::string_view one, std::string_view many = "") {
  return std::to_string(count) + ' ' + Plural(count, one, many);
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_WORDS_COUNTED_H_
