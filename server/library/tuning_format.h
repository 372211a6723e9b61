// The forms in which libraries take decisions: one row each, with its writer and its checker. A new
// form is a row here and a file. Immutable, any thread.
#ifndef COX_LIBRARY_TUNING_FORMAT_H_
#define COX_LIBRARY_TUNING_FORMAT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "library/decision_table.h"

namespace cox::library {

struct TuningFormat {
  absl::string_view library;
  absl::string_view name;         // "rules", "json", "env", ...; unique within the library
  absl::string_view description;  // one line
  bool is_file;  // the library reads a file of this text; otherwise a shell or launcher does

  // The text for the job. Tables and job are valid. `header_lines` (machine, revision, date,
  // command) are put in front as comments. Where a table cannot be said in this form, it is left
  // out, with a comment saying so.
  absl::StatusOr<std::string> (*write)(absl::Span<const DecisionTable> tables, const TunedJob& job,
                                       absl::Span<const std::string> header_lines);

  // Reads a text as the library would and returns what it would do wrong or silently: a line per
  // finding, empty when the text is sound. What is wrong without a promise is a finding unless
  // `assume` promises it. Null where there is nothing to check.
  std::vector<std::string> (*check)(absl::string_view text, const Assumptions& assume);
};

// All forms. The first one of a library is what it is given unless somebody asks for another.
absl::Span<const TuningFormat> TuningFormats();

// The library's form of that name; its first for "", and its first file for "file".
// INVALID_ARGUMENT (field "format") for an unknown one, UNIMPLEMENTED for a library without forms.
absl::StatusOr<const TuningFormat*> FindTuningFormat(absl::string_view library,
                                                     absl::string_view name);

// Validates the tables (INVALID_ARGUMENT, field "rows": the first size is not 0, sizes that do not
// ascend), writes them and checks what was written; INTERNAL where the check has a finding.
absl::StatusOr<std::string> WriteTuning(absl::Span<const DecisionTable> tables, const TunedJob& job,
                                        const TuningFormat& format,
                                        absl::Span<const std::string> header_lines);

}  // namespace cox::library

#endif  // COX_LIBRARY_TUNING_FORMAT_H_
