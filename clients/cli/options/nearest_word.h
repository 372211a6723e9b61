// Finds the word that somebody may have meant. Pure, any thread.
#ifndef COX_CLI_OPTIONS_NEAREST_WORD_H_
#define COX_CLI_OPTIONS_NEAREST_WORD_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace cox::cli {

// The word of `words` with the fewest inserted, removed, replaced or swapped letters; the first of
// equals. Empty where more than a third of the letters (at least one) would have to change.
std::string NearestWord(absl::string_view word, const std::vector<std::string>& words);

}  // namespace cox::cli

#endif  // COX_CLI_OPTIONS_NEAREST_WORD_H_
