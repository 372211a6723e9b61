// A CSV file with a header whose columns are known by name: required ones must be there, optional
// ones may, others are ignored and reported once. Reads one record at a time. Not thread-safe.
#ifndef COX_CLI_FILES_RECORD_FILE_H_
#define COX_CLI_FILES_RECORD_FILE_H_

#include <cstdint>
#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "console/csv.h"

namespace cox::cli {

struct ColumnSpec {
  const char* name;
  bool required;
};

class RecordFile {
 public:
  // NOT_FOUND where the file is not there; INVALID_ARGUMENT (FILE:LINE:COLUMN: rule) where the
  // header lacks a required column or names one twice.
  static absl::StatusOr<std::unique_ptr<RecordFile>> Open(const std::string& path,
                                                          absl::Span<const ColumnSpec> columns);

  // The same for text that is here already; `name` stands for the file in messages.
  static absl::StatusOr<std::unique_ptr<RecordFile>> FromText(std::string text,
                                                              const std::string& name,
                                                              absl::Span<const ColumnSpec> columns);

  // Reads the next record; false at the end. `status()` then says whether it is well formed.
  bool Next();
  const absl::Status& status() const { return status_; }
  // UNKNOWN once the system cannot read on, which status() says, too; then the rest of the file is
  // missing.
  const absl::Status& read_error() const { return read_error_; }

  // The field of the i-th column of the specification, without spaces around it unless it is
  // quoted; empty where the file has no such column.
  absl::string_view Get(size_t column) const;

  // INVALID_ARGUMENT "FILE:LINE:COLUMN: rule" about the current record.
  absl::Status Bad(size_t column, absl::string_view rule) const;

  int64_t line() const { return record_.line; }
  const std::vector<std::string>& ignored_columns() const { return ignored_; }
  // "warning: FILE: ignores the columns a, b"; empty where every column is known.
  std::string IgnoredNote() const;

 private:
  RecordFile(std::string path, std::unique_ptr<std::istream> in,
             absl::Span<const ColumnSpec> columns);
  absl::Status ReadHeader();
  // Reads into record_; false at the end, and where read_error_ says why.
  bool ReadRecord();
  // What is probably wrong with a header that lacks this column; may be empty.
  std::string HeaderHint(size_t column) const;

  std::string path_;
  absl::Span<const ColumnSpec> columns_;
  std::unique_ptr<std::istream> in_;
  console::CsvReader reader_;
  std::vector<int> positions_;  // of each column of the specification, -1: not in this file
  std::vector<std::string> ignored_;
  size_t width_ = 0;
  console::CsvRecord record_;
  absl::Status status_;
  absl::Status read_error_;
};

}  // namespace cox::cli

#endif  // COX_CLI_FILES_RECORD_FILE_H_
