#include "advise/placement/host_list.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "domain/errors.h"

namespace cox::advise {
namespace {

// Longer numbers are no host's.
constexpr size_t kMaxDigits = 12;
constexpr size_t kMaxShown = 60;
// Longer names are no host's. A name grows with each [ ] of an item, and there may be many names.
constexpr size_t kMaxNameBytes = 255;

class Expansion {
 public:
  Expansion(absl::string_view text, absl::string_view field) : text_(text), field_(field) {}

  absl::StatusOr<std::vector<std::string>> Run() {
    size_t begin = 0;
    bool is_inside = false;
    for (size_t i = 0; i <= text_.size(); ++i) {
      const char c = i < text_.size() ? text_[i] : ',';
      if (c == '[' && is_inside) return Wrong("a [ within [ ]");
      if (c == ']' && !is_inside) return Wrong("a ] without a [");
      if (c == '[' || c == ']') is_inside = c == '[';
      if (i == text_.size() && is_inside) return Wrong("a [ without a ]");
      if (c != ',' || is_inside) continue;
      absl::Status added = AddItem(absl::StripAsciiWhitespace(text_.substr(begin, i - begin)));
      if (!added.ok()) return added;
      begin = i + 1;
    }
    return std::move(hosts_);
  }

 private:
  absl::Status Wrong(absl::string_view why) const {
    return domain::InvalidField(field_, absl::StrCat("\"", text_.substr(0, kMaxShown), "\" has ",
                                                     why, "; write n[1-8,33-40]"));
  }

  // One prefix with its brackets: "r[0-1]n[08-10]". Brackets match here.
  absl::Status AddItem(absl::string_view item) {
    if (item.empty()) return Wrong("an empty name");
    std::vector<std::string> names(1);
    while (!item.empty()) {
      const size_t open = item.find('[');
      const absl::string_view plain = item.substr(0, open);
      for (const char c : plain) {
        if (!absl::ascii_isgraph(static_cast<unsigned char>(c)))
          return Wrong("a space or control character in a name");
      }
      if (names.front().size() + plain.size() > kMaxNameBytes) {
        return Wrong(absl::StrCat("a name of more than ", kMaxNameBytes, " characters"));
      }
      for (std::string& name : names) absl::StrAppend(&name, plain);
      if (open == absl::string_view::npos) break;
      const size_t close = item.find(']');
      std::vector<std::string> numbers;
      absl::Status read = ReadNumbers(item.substr(open + 1, close - open - 1), &numbers);
      if (!read.ok()) return read;
      if (numbers.size() * names.size() > kMaxHosts) return TooMany();
      std::vector<std::string> longer;
      longer.reserve(names.size() * numbers.size());
      for (const std::string& name : names) {
        for (const std::string& number : numbers) longer.push_back(absl::StrCat(name, number));
      }
      names = std::move(longer);
      item.remove_prefix(close + 1);
    }
    if (hosts_.size() + names.size() > kMaxHosts) return TooMany();
    hosts_.insert(hosts_.end(), std::make_move_iterator(names.begin()),
                  std::make_move_iterator(names.end()));
    return absl::OkStatus();
  }

  absl::Status ReadNumbers(absl::string_view ranges, std::vector<std::string>* numbers) const {
    for (const absl::string_view range : absl::StrSplit(ranges, ',')) {
      const std::pair<absl::string_view, absl::string_view> ends =
          absl::StrSplit(range, absl::MaxSplits('-', 1));
      const absl::string_view last = ends.second.empty() ? ends.first : ends.second;
      int64_t from = 0;
      int64_t to = 0;
      if (!IsNumber(ends.first, &from) || !IsNumber(last, &to) ||
          (ends.second.empty() && range.find('-') != absl::string_view::npos)) {
        return Wrong("something else than numbers and ranges in [ ]");
      }
      if (to < from) return Wrong(absl::StrCat("a range that falls, ", range.substr(0, kMaxShown)));
      if (to - from >= static_cast<int64_t>(kMaxHosts)) return TooMany();
      for (int64_t number = from; number <= to; ++number) {
        std::string digits = absl::StrCat(number);
        if (digits.size() < ends.first.size()) {
          digits.insert(0, ends.first.size() - digits.size(), '0');
        }
        numbers->push_back(std::move(digits));
      }
      if (numbers->size() > kMaxHosts) return TooMany();
    }
    return absl::OkStatus();
  }

  static bool IsNumber(absl::string_view text, int64_t* value) {
    return !text.empty() && text.size() <= kMaxDigits &&
           std::all_of(text.begin(), text.end(),
                       [](unsigned char c) { return absl::ascii_isdigit(c); }) &&
           absl::SimpleAtoi(text, value);
  }

  absl::Status TooMany() const {
    return domain::InvalidField(field_, absl::StrCat("has more than ", kMaxHosts, " hosts"));
  }

  absl::string_view text_;
  absl::string_view field_;
  std::vector<std::string> hosts_;
};

}  // namespace

absl::StatusOr<std::vector<std::string>> ExpandHostList(absl::string_view text,
                                                        absl::string_view field) {
  return Expansion(text, field).Run();
}

}  // namespace cox::advise
