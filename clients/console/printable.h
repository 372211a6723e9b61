// Makes text that somebody else chose harmless for a terminal: without control characters, bytes
// that are not UTF-8, and marks that change the direction of what follows. A terminal takes them
// for orders, or shows something else than what is written.
//
// Never fails. PrintableOutput is not thread-safe.
#ifndef COX_CONSOLE_PRINTABLE_H_
#define COX_CONSOLE_PRINTABLE_H_

#include <functional>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>

#include "absl/strings/string_view.h"

namespace cox::console {

// `text` on one line: each harmful character, line ends and tabs too, becomes '?'.
std::string Printable(absl::string_view text);

// `text`, in which `escape` replaces each harmful character except line ends and tabs, and each
// byte that is not UTF-8 (as U+FFFD).
std::string EscapeHarmful(absl::string_view text,
                          const std::function<std::string(char32_t harmful)>& escape);

// Passes text on to another stream. Harmful characters become '?'; tabs and line ends ("\n",
// "\r\n") pass. Where text belongs on one line, use Printable().
class PrintableOutput : public std::ostream {
 public:
  // `to` outlives it. Takes over its format and table width.
  explicit PrintableOutput(std::ostream* to);
  // Passes on what it still holds.
  ~PrintableOutput() override;
  PrintableOutput(const PrintableOutput&) = delete;
  PrintableOutput& operator=(const PrintableOutput&) = delete;

 private:
  std::unique_ptr<std::streambuf> filter_;
};

}  // namespace cox::console

#endif  // COX_CONSOLE_PRINTABLE_H_
