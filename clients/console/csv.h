// Reads CSV (RFC 4180): quoted fields, doubled quotes, line breaks inside quotes, LF or CRLF, a
// byte order mark. It does not know the columns' meaning. One record is in memory at a time. Not
// thread-safe. A malformed record is INVALID_ARGUMENT in `CsvRecord::error`; the reader then goes
// on with the next line, so that a caller may skip it.
#ifndef COX_CONSOLE_CSV_H_
#define COX_CONSOLE_CSV_H_

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace cox::console {

struct CsvRecord {
  int64_t line = 0;                 // where the record starts, from 1
  std::vector<std::string> fields;  // without their quotes
  std::vector<bool> were_quoted;    // for each field: its spaces belong to it
  absl::Status error;               // not OK: fields are what could be read
};

class CsvReader {
 public:
  // A record longer than this is malformed: most likely a quote that never closes.
  static constexpr size_t kMaxRecordBytes = 1 << 20;

  // Reads from `in`, which must outlive the reader.
  explicit CsvReader(std::istream* in) : in_(in) {}

  // Reads the next record that is not an empty line. False at the end of the input. Throws
  // std::ios_base::failure if the system cannot read the file.
  bool Next(CsvRecord& record);

 private:
  void SkipMark();
  int Get();
  void SkipLine();

  std::istream* in_;
  bool has_begun_ = false;
  int64_t line_ = 1;
};

// `field` for a CSV file, quoted only where it must be: also if readers would drop its spaces.
std::string CsvField(absl::string_view field);

}  // namespace cox::console

#endif  // COX_CONSOLE_CSV_H_
