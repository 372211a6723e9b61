#include "cli/files/row_parser.h"

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "cli/resource_names.h"
#include "console/numbers.h"
#include "console/printable.h"

namespace cox::cli {

void RowParser::Fail(size_t column, absl::string_view rule) {
  if (status_.ok()) status_ = file_.Bad(column, rule);
}

int64_t RowParser::Integer(size_t column, int64_t low, int64_t high) {
  if (!ok()) return 0;
  absl::StatusOr<int64_t> value = console::ParseInteger(file_.Get(column), low, high);
  if (value.ok()) return *value;
  Fail(column, value.status().message());
  return 0;
}

int64_t RowParser::IntegerOr(size_t column, int64_t low, int64_t high, int64_t otherwise) {
  if (!ok() || file_.Get(column).empty()) return otherwise;
  return Integer(column, low, high);
}

double RowParser::Positive(size_t column) {
  if (!ok()) return 0;
  absl::StatusOr<double> value = console::ParsePositive(file_.Get(column));
  if (value.ok()) return *value;
  Fail(column, value.status().message());
  return 0;
}

double RowParser::NonNegativeOrZero(size_t column) {
  if (!ok() || file_.Get(column).empty()) return 0;
  absl::StatusOr<double> value = console::ParseNonNegative(file_.Get(column));
  if (value.ok()) return *value;
  Fail(column, value.status().message());
  return 0;
}

std::string RowParser::Text(size_t column, size_t max_bytes) {
  if (ok() && file_.Get(column).empty()) Fail(column, "is empty");
  return OptionalText(column, max_bytes);
}

std::string RowParser::OptionalText(size_t column, size_t max_bytes) {
  if (!ok()) return "";
  const absl::string_view text = file_.Get(column);
  if (text.size() > max_bytes) {
    Fail(column, absl::StrCat("has ", text.size(), " bytes, at most ", max_bytes, " are allowed"));
    return "";
  }
  if (console::Printable(text) != text) {
    Fail(column, "has characters that are not printable, or bytes that are not UTF-8");
    return "";
  }
  return std::string(text);
}

std::string RowParser::Machine(size_t column) {
  if (!ok()) return "";
  absl::Status name = CheckMachineName(file_.Get(column));
  if (name.ok()) return std::string(BareMachine(file_.Get(column)));
  Fail(column, name.message());
  return "";
}

}  // namespace cox::cli
