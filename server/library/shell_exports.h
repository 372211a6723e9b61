// Reads texts of `export NAME=value` lines as a shell does, and renders them for other shells.
// Pure, any thread.
#ifndef COX_LIBRARY_SHELL_EXPORTS_H_
#define COX_LIBRARY_SHELL_EXPORTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::library {

struct ShellExport {
  int64_t line = 0;  // from 1
  std::string name;
  std::string value;  // without the quotes
};

struct ShellExports {
  std::vector<ShellExport> exports;   // the last one of each name, in the order of the lines
  std::vector<std::string> findings;  // lines whose value a job does not get, with what to do
};

// Reads a text as a POSIX shell would; ignores comments and blank lines. Lines that a shell would
// run, expand or not export are findings, and so is a name that is set twice.
ShellExports ReadShellExports(absl::string_view text);

// "export NAME=value\n", quoted where the value needs it. The value has no line break.
std::string ExportLine(absl::string_view name, absl::string_view value);

// The shells that a text can be rendered for: "sh", "csh", "fish".
const std::vector<std::string>& ShellNames();

// Renders the settings and comments for another shell. INVALID_ARGUMENT for an unknown shell (field
// "shell"), and for a text with findings (field "text").
absl::StatusOr<std::string> RenderForShell(absl::string_view text, absl::string_view shell);

}  // namespace cox::library

#endif  // COX_LIBRARY_SHELL_EXPORTS_H_
