// Shared by the checkers of `export` texts. Pure, any thread.
#ifndef COX_LIBRARY_CHECK_EXPORTS_H_
#define COX_LIBRARY_CHECK_EXPORTS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"
#include "domain/collective.h"
#include "library/shell_exports.h"
#include "strategy/scenario.h"

namespace cox::library {

// The findings about the lines themselves, then "line N: NAME: ..." for each setting for which
// `check_one` returns a finding ("" for a sound one).
std::vector<std::string> CheckExports(const ShellExports& read,
                                      absl::FunctionRef<std::string(const ShellExport&)> check_one);

// The whole decimal number >= 0 that the text is; nothing for any other text.
std::optional<int64_t> DecimalNumber(absl::string_view text);

// The names of the algorithms that a library has for a collective, as "a, b, c".
std::string AlgorithmNames(absl::string_view library, domain::Collective collective);

// The finding about an algorithm that some operations break, with what to do.
extern const absl::string_view kWrongWithoutPromise;

}  // namespace cox::library

#endif  // COX_LIBRARY_CHECK_EXPORTS_H_
