// Texts of `export NAME=value` lines: what a shell makes of them, and the same for other shells.
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
  std::vector<ShellExport> exports;   // of each name the last one, in the order of the lines
  std::vector<std::string> findings;  // lines that do not reach a job as they look, with what to do
};

// Reads a text as a POSIX shell would. Comments and blank lines are passed over. What a shell would
// run, expand or not export is a finding, and so is a name that is given twice.
ShellExports ReadShellExports(absl::string_view text);

// "export NAME=value\n", quoted where the value needs it. The value has no line break.
std::string ExportLine(absl::string_view name, absl::string_view value);

// The shells that a text can be rendered for: "sh", "csh", "fish".
const std::vector<std::string>& ShellNames();

// The same settings and comments for another shell. INVALID_ARGUMENT for an unknown shell (field
// "shell"), and for a text that is not sound (field "text").
absl::StatusOr<std::string> RenderForShell(absl::string_view text, absl::string_view shell);

}  // namespace cox::library

#endif  // COX_LIBRARY_SHELL_EXPORTS_H_
