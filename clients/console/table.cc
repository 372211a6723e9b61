#include "console/table.h"

#include <algorithm>
#include <utility>

namespace cox::console {

size_t DisplayWidth(absl::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

std::string Printable(absl::string_view text) {
  std::string printable(text);
  for (char& c : printable) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  // U+0080 to U+009F: terminals take them for control characters, too.
  for (size_t i = 0; i + 1 < printable.size(); ++i) {
    const auto second = static_cast<unsigned char>(printable[i + 1]);
    if (printable[i] == '\xC2' && second >= 0x80 && second < 0xA0) printable.replace(i, 2, "?");
  }
  return printable;
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

void Table::Add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

void Table::Print(std::ostream& out) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = DisplayWidth(columns_[i].name);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[i]));
    widths.push_back(width);
  }
  const auto print_row = [&](const auto& cell_at) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& cell = cell_at(i);
      const std::string padding(widths[i] - DisplayWidth(cell), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::kRight ? padding + cell : cell + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  print_row([&](size_t i) -> const std::string& { return columns_[i].name; });
  for (const auto& row : rows_) {
    print_row([&](size_t i) -> const std::string& { return row[i]; });
  }
}

}  // namespace cox::console
