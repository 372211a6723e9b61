#include "library/coxcoll/gather_windows.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "library/algorithms.h"
#include "library/run_time_number.h"

namespace cox::library {
namespace {

constexpr absl::string_view kPrefix = "windowed?window=";

// Windows of a gather in the table.
int64_t ListedWindows() {
  int64_t listed = 0;
  for (const Algorithm& row : AlgorithmsOf(kCoxcoll)) {
    const bool is_window =
        row.collective == domain::Collective::kGather && absl::StartsWith(row.native_name, kPrefix);
    listed += is_window ? 1 : 0;
  }
  return listed;
}

struct WideWindows {
  int64_t first = ListedWindows() + 1;  // the table has all windows below it
  std::vector<std::string> strategies;
  std::vector<Algorithm> rows;
};

const WideWindows& Windows() {
  static const WideWindows* const kWindows = [] {
    auto* windows = new WideWindows;
    const Algorithm& like = AlgorithmsOf(kCoxcoll).front();
    windows->strategies.reserve(kMostGatherWindow);
    for (int64_t window = windows->first; window <= kMostGatherWindow; ++window) {
      windows->strategies.push_back(absl::StrCat("gather/", kPrefix, window));
      const absl::string_view strategy = windows->strategies.back();
      Algorithm row = like;
      row.collective = domain::Collective::kGather;
      row.native_name = strategy.substr(strategy.find('/') + 1);
      row.strategy = strategy;
      row.needs = MoreRanksThan(static_cast<uint32_t>(window) + 1);
      windows->rows.push_back(row);
    }
    return windows;
  }();
  return *kWindows;
}

}  // namespace

absl::Span<const Algorithm> WideGatherWindows() { return Windows().rows; }

const Algorithm* FindWideGatherWindow(int64_t window) {
  const WideWindows& windows = Windows();
  if (window < windows.first || window > kMostGatherWindow) return nullptr;
  return &windows.rows[static_cast<size_t>(window - windows.first)];
}

const Algorithm* FindWideGatherWindow(absl::string_view native_name) {
  int64_t window = 0;
  if (!absl::StartsWith(native_name, kPrefix) ||
      !absl::SimpleAtoi(native_name.substr(kPrefix.size()), &window)) {
    return nullptr;
  }
  const Algorithm* row = FindWideGatherWindow(window);
  return row != nullptr && row->native_name == native_name ? row : nullptr;
}

}  // namespace cox::library
