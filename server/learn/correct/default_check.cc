#include "learn/correct/default_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

namespace cox::learn {
namespace {

// Times of the same code agree within this, in ln(time), beyond their own scatter ...
constexpr double kAgreement = 0.2;
// ... except for one in this many, which may be noise.
constexpr int kAllowedOneIn = 10;

using Field = std::pair<absl::string_view, absl::string_view>;  // library, collective

bool Agree(const Cell& a, const Cell& b) {
  const double scatter = std::sqrt(std::max(0.0, a.variance_log_time + b.variance_log_time));
  return std::abs(a.mean_log_time - b.mean_log_time) <= kAgreement + scatter;
}

struct Comparison {
  int64_t compared = 0;
  int64_t contradicting = 0;

  bool contradicts() const { return contradicting * kAllowedOneIn > compared; }
};

}  // namespace

void DropContradictedDefaults(std::vector<PreparedCell>* cells) {
  std::map<TimedCall, const Cell*> forced_cells;  // the last of several is as good as any
  for (const PreparedCell& cell : *cells) {
    if (cell.default_code.empty()) {
      forced_cells[TimedCallOf(*cell.cell, cell.algorithm)] = cell.cell;
    }
  }
  std::map<Field, Comparison> evidence;
  for (const PreparedCell& cell : *cells) {
    if (cell.cell->algorithm != kDefaultAlgorithm) continue;
    Comparison& found = evidence[{cell.cell->library, cell.cell->collective}];
    const auto forced = forced_cells.find(TimedCallOf(*cell.cell, cell.default_code));
    if (forced == forced_cells.end()) continue;
    ++found.compared;
    if (!Agree(*forced->second, *cell.cell)) ++found.contradicting;
  }
  for (PreparedCell& cell : *cells) {
    if (cell.cell->algorithm != kDefaultAlgorithm) continue;
    if (evidence[{cell.cell->library, cell.cell->collective}].contradicts())
      cell.strategy = nullptr;
  }
}

}  // namespace cox::learn
