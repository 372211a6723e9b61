// Characters of quoted strings, the same in JSON and in TOML.
#ifndef COX_CLI_OUTPUT_ESCAPE_H_
#define COX_CLI_OUTPUT_ESCAPE_H_

#include <string>

namespace cox::cli {

// Appends `c` as it stands between double quotes in JSON and in TOML: quotes, backslashes and
// control characters escaped, every other byte (of a UTF-8 sequence, too) as it is.
void AppendEscaped(char c, std::string& out);

}  // namespace cox::cli

#endif  // COX_CLI_OUTPUT_ESCAPE_H_
