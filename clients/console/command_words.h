// Splits a command line into words as a shell does: blanks separate, quotes and backslashes join.
// Nothing is expanded. Pure, any thread.
#ifndef COX_CONSOLE_COMMAND_WORDS_H_
#define COX_CONSOLE_COMMAND_WORDS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::console {

// INVALID_ARGUMENT where a quote is not closed, a backslash is the last character, or there is no
// word.
absl::StatusOr<std::vector<std::string>> SplitCommand(absl::string_view text);

// The words as a person may paste them into a shell.
std::string JoinCommand(const std::vector<std::string>& words);

// JoinCommand() for a request's `command` field: with spaces for control characters, and at most
// 1024 bytes. "..." stands for the words that do not fit.
std::string CommandField(const std::vector<std::string>& words);

}  // namespace cox::console

#endif  // COX_CONSOLE_COMMAND_WORDS_H_
