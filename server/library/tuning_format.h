// The formats in which libraries take decisions: one row each, with its writer and its checker. A
// new format is a row here and a file. Immutable, any thread.
#ifndef COX_LIBRARY_TUNING_FORMAT_H_
#define COX_LIBRARY_TUNING_FORMAT_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "domain/collective.h"
#include "library/decision_table.h"

namespace cox::library {

struct TuningFormat {
  absl::string_view library;
  absl::string_view name;         // "rules", "json", "env", ...; unique within the library
  absl::string_view description;  // one line
  bool is_file;  // the library reads a file of this text; otherwise a shell or launcher reads it

  // Whether several rows of the collective's table, for ranges of sizes, can be written.
  bool (*tells_sizes_apart)(domain::Collective collective);

  // The text for the job. Tables and job are valid. `header_lines` (machine, revision, date,
  // command) come first as comments. A table that this format cannot express is left out, with a
  // comment that says so.
  absl::StatusOr<std::string> (*write)(absl::Span<const DecisionTable> tables, const TunedJob& job,
                                       absl::Span<const std::string> header_lines);

  // Reads a text as the library does and returns a finding for each line that the library would
  // misread or silently ignore; empty for a sound text. `assume` has the promises that some lines
  // need. Null where there is nothing to check.
  std::vector<std::string> (*check)(absl::string_view text, const Assumptions& assume);
};

// All formats. A library's first one is its default.
absl::Span<const TuningFormat> TuningFormats();

// The library's format of that name; its first for "", and its first file for "file".
// INVALID_ARGUMENT (field "format") for an unknown one, UNIMPLEMENTED for a library without
// formats.
absl::StatusOr<const TuningFormat*> FindTuningFormat(absl::string_view library,
                                                     absl::string_view name);

// Validates the tables, writes them and checks the text. INVALID_ARGUMENT (field "rows") if the
// first size is not 0 or sizes do not ascend; INTERNAL if the check has a finding.
absl::StatusOr<std::string> WriteTuning(absl::Span<const DecisionTable> tables, const TunedJob& job,
                                        const TuningFormat& format,
                                        absl::Span<const std::string> header_lines);

}  // namespace cox::library

#endif  // COX_LIBRARY_TUNING_FORMAT_H_
