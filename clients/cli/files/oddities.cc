#include "cli/files/oddities.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "cli/output/profile_view.h"
#include "console/units.h"
#include "domain/parse_collective.h"
#include "domain/plausible_time.h"
#include "domain/words/counted.h"
#include "library/aliases.h"
#include "library/libraries.h"

namespace cox::cli {
namespace {

constexpr size_t kNamed = 5;

std::string DescribeTime(const v1::Observation& row) {
  return absl::StrCat(console::FormatTime(row.time_s()), " for ",
                      console::FormatBytes(row.block_bytes()), " on ",
                      domain::Counted(row.ranks(), "rank"));
}

}  // namespace

void Oddities::Add(Kind kind, int64_t line, const std::string& name) {
  Rows& rows = rows_[kind];
  if (rows.count++ == 0) rows.first_line = line;
  if (std::find(rows.names.begin(), rows.names.end(), name) != rows.names.end()) return;
  if (rows.names.size() < kNamed) {
    rows.names.push_back(name);
  } else {
    ++rows.more_names;
  }
}

void Oddities::AddNames(const std::string& library, const std::string& collective,
                        const std::string& algorithm, int64_t line) {
  const auto known = domain::ParseCollective(collective);
  const bool has_table = library::FindLibrary(library) != nullptr;
  if (!has_table) {
    Add(Kind::kLibrary, line, absl::StrCat(library, library::DidYouMeanLibrary(library)));
  }
  if (!known.ok()) Add(Kind::kCollective, line, collective);
  const bool is_choice = algorithm == "default" || algorithm == "selection_file";
  if (has_table && known.ok() && !is_choice &&
      library::FindByAnyName(library, *known, algorithm) == nullptr) {
    Add(Kind::kAlgorithm, line, absl::StrCat(collective, "/", algorithm));
  }
}

void Oddities::Add(const v1::Observation& row, int64_t line) {
  AddNames(row.library(), row.collective(), row.algorithm(), line);
  if (domain::IsTooShort(row.time_s(), row.ranks(), row.block_bytes())) {
    Add(Kind::kTooShort, line, DescribeTime(row));
  }
  if (domain::IsTooLong(row.time_s(), row.ranks(), row.block_bytes())) {
    Add(Kind::kTooLong, line, DescribeTime(row));
  }
  const absl::Time at = absl::FromUnixSeconds(row.at().seconds());
  if (at > now_ + kRowClockSlack) {
    Add(Kind::kFuture, line, TimeText(at));
  }
}

int64_t Oddities::too_long_count() const {
  const auto found = rows_.find(Kind::kTooLong);
  return found == rows_.end() ? 0 : found->second.count;
}

std::vector<std::string> Oddities::Warnings(const std::string& file) const {
  constexpr std::pair<Kind, const char*> kTexts[] = {
      {Kind::kLibrary, "with a library without a table, learned from data alone: "},
      {Kind::kCollective, "with an unknown collective, learned from data alone: "},
      {Kind::kAlgorithm, "with an unknown algorithm, learned from data alone: "},
      {Kind::kTooShort, "with times that no machine reaches: "},
      {Kind::kTooLong, "with times that no machine needs; are they seconds? "},
      {Kind::kFuture,
       "from the future; coxd takes the time of their import for them: check column at and the "
       "clock: "}};
  std::vector<std::string> warnings;
  for (const auto& [kind, text] : kTexts) {
    const auto found = rows_.find(kind);
    if (found == rows_.end()) continue;
    const Rows& rows = found->second;
    warnings.push_back(absl::StrCat(
        "warning: ", file, ": ", rows.count, " row(s), the first in line ", rows.first_line, ", ",
        text, absl::StrJoin(rows.names, ", "), rows.more_names > 0 ? ", ..." : ""));
  }
  return warnings;
}

}  // namespace cox::cli
