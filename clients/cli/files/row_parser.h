// Reads typed values from the current record of a file. status() keeps the first broken rule as
// FILE:LINE:COLUMN: rule; later values are then meaningless. Not thread-safe.
#ifndef COX_CLI_FILES_ROW_PARSER_H_
#define COX_CLI_FILES_ROW_PARSER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "cli/files/record_file.h"

namespace cox::cli {

class RowParser {
 public:
  // Starts with the record's own status.
  explicit RowParser(const RecordFile& file) : file_(file), status_(file.status()) {}

  bool ok() const { return status_.ok(); }
  const absl::Status& status() const { return status_; }

  // An integer within [low, high].
  int64_t Integer(size_t column, int64_t low, int64_t high);
  // The same; an empty field is `otherwise`.
  int64_t IntegerOr(size_t column, int64_t low, int64_t high, int64_t otherwise);
  // Finite and > 0.
  double Positive(size_t column);
  // Finite and >= 0; an empty field is 0.
  double NonNegativeOrZero(size_t column);
  // 1..max_bytes bytes of text.
  std::string Text(size_t column, size_t max_bytes);
  // 0..max_bytes bytes of text.
  std::string OptionalText(size_t column, size_t max_bytes);
  // A machine's bare name.
  std::string Machine(size_t column);
  // Remembers a rule that the caller found broken, unless there is one already.
  void Fail(size_t column, absl::string_view rule);

 private:
  const RecordFile& file_;
  absl::Status status_;
};

}  // namespace cox::cli

#endif  // COX_CLI_FILES_ROW_PARSER_H_
