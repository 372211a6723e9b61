#include "console/table.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <utility>

#include "console/printable.h"

namespace cox::console {
namespace {

constexpr char kGap[] = "  ";  // between columns
constexpr size_t kGapWidth = 2;
// A folded column is not narrower.
constexpr size_t kLeastFolded = 16;

int LimitIndex() {
  static const int index = std::ios_base::xalloc();
  return index;
}

// The bytes of the first `columns` columns of `text`.
size_t BytesOf(absl::string_view text, size_t columns) {
  size_t end = 0;
  while (end < text.size()) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xC0) != 0x80;
    if (starts && columns-- == 0) break;
    ++end;
  }
  return end;
}

// `text` in lines of at most `width` columns, broken at blanks where there are some; never empty.
std::vector<std::string> FoldText(absl::string_view text, size_t width) {
  std::vector<std::string> lines;
  while (DisplayWidth(text) > width && width > 0) {
    const size_t fits = BytesOf(text, width);
    size_t end = text.rfind(' ', fits);
    const bool has_blank = end != absl::string_view::npos && end > 0;
    if (!has_blank) end = fits;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(has_blank ? end + 1 : end);
  }
  lines.emplace_back(text);
  return lines;
}

}  // namespace

void LimitWidth(std::ostream& out, size_t columns) {
  out.iword(LimitIndex()) = static_cast<std::ptrdiff_t>(columns);
}

size_t WidthLimit(std::ostream& out) { return static_cast<size_t>(out.iword(LimitIndex())); }

size_t DisplayWidth(absl::string_view text) {
  return std::count_if(text.begin(), text.end(),
                       [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  for (Column& column : columns_) column.name = Printable(column.name);
}

void Table::Add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::string& cell : cells) cell = Printable(cell);
  rows_.push_back(std::move(cells));
}

std::vector<size_t> Table::NaturalWidths() const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = DisplayWidth(columns_[i].name);
    for (const auto& row : rows_) width = std::max(width, DisplayWidth(row[i]));
    widths.push_back(width);
  }
  return widths;
}

size_t Table::LineWidth(const Shown& shown, const std::vector<size_t>& widths) const {
  size_t sum = shown.empty() ? 0 : kGapWidth * (shown.size() - 1);
  for (const size_t i : shown) sum += widths[i];
  return sum;
}

std::vector<std::string> Table::Drop(size_t limit, const std::vector<size_t>& widths,
                                     Shown& shown) const {
  std::vector<size_t> least = widths;
  for (const size_t i : shown) {
    if (columns_[i].fit == Fit::kFold) least[i] = std::min(widths[i], kLeastFolded);
  }
  std::vector<std::string> dropped;
  while (LineWidth(shown, least) > limit) {
    const auto last = std::find_if(shown.rbegin(), shown.rend(),
                                   [&](size_t i) { return columns_[i].fit == Fit::kDrop; });
    if (last == shown.rend()) break;
    dropped.insert(dropped.begin(), columns_[*last].name);
    shown.erase(std::next(last).base());
  }
  return dropped;
}

void Table::Fold(size_t limit, const Shown& shown, std::vector<size_t>& widths) const {
  while (LineWidth(shown, widths) > limit) {
    size_t* widest = nullptr;
    for (const size_t i : shown) {
      if (columns_[i].fit != Fit::kFold || widths[i] <= kLeastFolded) continue;
      if (widest == nullptr || widths[i] > *widest) widest = &widths[i];
    }
    if (widest == nullptr) return;
    --*widest;
  }
}

std::vector<Table::Shown> Table::Split(size_t limit, const Shown& shown,
                                       const std::vector<size_t>& widths) const {
  std::vector<Shown> groups(1);
  for (const size_t i : shown) {
    Shown wider = groups.back();
    wider.push_back(i);
    // A group has a column besides the first one, however wide.
    if (groups.back().size() > 1 && LineWidth(wider, widths) > limit) {
      wider = {shown.front(), i};
      groups.emplace_back();
    }
    groups.back() = std::move(wider);
  }
  return groups;
}

void Table::PrintColumns(std::ostream& out, const Shown& shown,
                         const std::vector<size_t>& widths) const {
  const auto print_row = [&](const auto& cell_at) {
    std::vector<std::vector<std::string>> cells;
    size_t height = 0;
    for (const size_t i : shown) {
      cells.push_back(FoldText(cell_at(i), widths[i]));
      height = std::max(height, cells.back().size());
    }
    for (size_t at = 0; at < height; ++at) {
      std::string line;
      for (size_t n = 0; n < shown.size(); ++n) {
        const std::string cell = at < cells[n].size() ? cells[n][at] : "";
        const std::string padding(widths[shown[n]] - DisplayWidth(cell), ' ');
        if (n > 0) line += kGap;
        line += columns_[shown[n]].align == Align::kRight ? padding + cell : cell + padding;
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out << line << '\n';
    }
  };
  print_row([&](size_t i) -> const std::string& { return columns_[i].name; });
  for (const auto& row : rows_) {
    print_row([&](size_t i) -> const std::string& { return row[i]; });
  }
}

void Table::Print(std::ostream& out) const {
  std::vector<size_t> widths = NaturalWidths();
  Shown all(columns_.size());
  std::iota(all.begin(), all.end(), size_t{0});
  const size_t limit = WidthLimit(out);
  if (limit == 0 || LineWidth(all, widths) <= limit) return PrintColumns(out, all, widths);
  const std::vector<std::string> dropped = Drop(limit, widths, all);
  Fold(limit, all, widths);
  bool first = true;
  for (const Shown& group : Split(limit, all, widths)) {
    if (!std::exchange(first, false)) out << '\n';
    PrintColumns(out, group, widths);
  }
  if (dropped.empty()) return;
  std::string note = "(--wide shows ";
  for (size_t i = 0; i < dropped.size(); ++i) note += (i > 0 ? ", " : "") + dropped[i];
  for (const std::string& line : FoldText(note + ")", limit)) out << line << '\n';
}

}  // namespace cox::console
