// A table of text with aligned columns for people: a header line, two blanks between columns,
// numbers to the right. Not for programs: they take --json. On a stream with a limited width it
// drops and folds columns, then continues the others below. Not thread-safe, never fails.
#ifndef COX_CONSOLE_TABLE_H_
#define COX_CONSOLE_TABLE_H_

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace cox::console {

// The longest line that tables print to `out`. 0, as at first: any length.
void LimitWidth(std::ostream& out, size_t columns);
size_t WidthLimit(std::ostream& out);

enum class Align { kLeft, kRight };

// What a column does when the table is too wide.
enum class Fit {
  kKeep,
  kFold,  // breaks its text into lines
  kDrop,  // is left out, the last such column first; a line below the table names it
};

class Table {
 public:
  struct Column {
    std::string name;
    Align align = Align::kLeft;
    Fit fit = Fit::kKeep;
  };

  explicit Table(std::vector<Column> columns);

  // Missing cells at the end are empty; more cells than columns are dropped.
  void Add(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }
  size_t size() const { return rows_.size(); }

  void Print(std::ostream& out) const;

 private:
  // Indices of columns, in their order.
  using Shown = std::vector<size_t>;

  std::vector<size_t> NaturalWidths() const;
  size_t LineWidth(const Shown& shown, const std::vector<size_t>& widths) const;
  // Leaves out columns until the others fit folded; returns the names of those left out.
  std::vector<std::string> Drop(size_t limit, const std::vector<size_t>& widths,
                                Shown& shown) const;
  void Fold(size_t limit, const Shown& shown, std::vector<size_t>& widths) const;
  // Groups of columns that fit, each with the first column.
  std::vector<Shown> Split(size_t limit, const Shown& shown,
                           const std::vector<size_t>& widths) const;
  void PrintColumns(std::ostream& out, const Shown& shown, const std::vector<size_t>& widths) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// Columns that a terminal needs for UTF-8 text: code points, not bytes.
size_t DisplayWidth(absl::string_view text);

}  // namespace cox::console

#endif  // COX_CONSOLE_TABLE_H_
