// CSV files of observations: fields that are written again are read as the same, and numbers that
// are accepted are within their range.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "cli/files/record_file.h"
#include "cli/files/row_parser.h"
#include "console/csv.h"
#include "expect.h"

using cox::console::CsvReader;
using cox::console::CsvRecord;
using cox::fuzz::Expect;

namespace {

void Rewrite(const std::string& text) {
  std::istringstream in(text);
  CsvReader reader(&in);
  CsvRecord record;
  while (reader.Next(record)) {
    // The reader makes one line break of two characters.
    const bool has_break = absl::StrContains(absl::StrJoin(record.fields, ","), "\r\n");
    if (!record.error.ok() || has_break) continue;
    std::istringstream line(absl::StrJoin(record.fields, ",", [](std::string* out, const auto& f) {
      out->append(cox::console::CsvField(f));
    }));
    CsvReader again(&line);
    CsvRecord same;
    const bool is_empty = record.fields.size() == 1 && record.fields[0].empty();
    Expect(again.Next(same) || is_empty, "a written record is missing");
    Expect(is_empty || same.fields == record.fields, "another record the second time");
  }
}

void ReadRows(const std::string& text) {
  static const std::vector<cox::cli::ColumnSpec> kColumns = {
      {"machine", true}, {"nodes", true}, {"time_s", true}, {"stddev_s", false}, {"run", false}};
  const auto file = cox::cli::RecordFile::FromText(text, "rows.csv", kColumns);
  if (!file.ok()) return;
  while ((*file)->Next()) {
    cox::cli::RowParser row(**file);
    const std::string machine = row.Machine(0);
    const int64_t nodes = row.Integer(1, 1, 1'000);
    const double time_s = row.Positive(2);
    const double stddev_s = row.NonNegativeOrZero(3);
    const std::string run = row.OptionalText(4, 64);
    if (!row.ok()) continue;
    Expect(!machine.empty() && nodes >= 1 && nodes <= 1'000, "a row out of range");
    Expect(std::isfinite(time_s) && time_s > 0 && std::isfinite(stddev_s) && stddev_s >= 0,
           "a time that is none");
    Expect(run.size() <= 64, "a text that is too long");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Rewrite(text);
  ReadRows(text);
  // With a header the rows are reached at once.
  ReadRows("machine,nodes,time_s,stddev_s,run\n" + text);
  return 0;
}
