// A table of text with aligned columns for people: a header line, two blanks between columns,
// numbers to the right. Not for programs: they take --json. Not thread-safe, never fails.
#ifndef COX_CONSOLE_TABLE_H_
#define COX_CONSOLE_TABLE_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace cox::console {

enum class Align { kLeft, kRight };

class Table {
 public:
  struct Column {
    std::string name;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);

  // Missing cells at the end are empty; more cells than columns are dropped.
  void Add(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }

  void Print(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a terminal needs for UTF-8 text: code points, not bytes. Control characters (of a
// name that somebody chose) count as the one '?' they are printed as.
size_t DisplayWidth(absl::string_view text);

// `text` with control characters turned into '?', so that data cannot steer a terminal.
std::string Printable(absl::string_view text);

}  // namespace cox::console

#endif  // COX_CONSOLE_TABLE_H_
