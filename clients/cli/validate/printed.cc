#include "cli/validate/printed.h"

#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "console/csv.h"

namespace cox::cli {
namespace {

enum PrintedColumn : size_t {
  kPaper,
  kCase,
  kAnswer,
  kRole,
  kAsk,
  kFitted,
  kOver,
  kScale,
  kPrinted,
  kUnit,
  kTolerance,
  kWhere,
  kNote,
  kPrintedColumns
};

constexpr std::pair<absl::string_view, Role> kRoles[] = {
    {"prediction", Role::kPrediction},
    {"measurement", Role::kMeasurement},
    {"ranking", Role::kRanking},
    {"derived", Role::kDerived},
    {"fit", Role::kFit},
    {"unasked", Role::kUnasked},
};

constexpr std::pair<absl::string_view, absl::string_view> kTitles[] = {
    {"000",
     "S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained "
     "parallel machines"},
    {"001",
     "L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized "
     "communication, 2003"},
    {"002",
     "B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation "
     "models, ACM TOCS 16(3), 1998"},
    {"003",
     "I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of "
     "architectures, 1996"},
    {"004",
     "A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on cluster, "
     "1999"},
};

bool ParseRole(absl::string_view text, Role* role) {
  for (const auto& [name, value] : kRoles) {
    if (name != text) continue;
    *role = value;
    return true;
  }
  return false;
}

// What is wrong with the fields, or "" and the row.
absl::string_view Parse(const std::vector<std::string>& fields, PrintedRow* row) {
  if (fields.size() != kPrintedColumns) return "has another number of columns";
  if (!ParseRole(fields[kRole], &row->role)) return "has an unknown role";
  if (!absl::SimpleAtod(fields[kScale], &row->scale)) return "has no scale";
  const bool is_asked = row->role != Role::kUnasked && row->role != Role::kFit;
  if (is_asked && fields[kAsk].empty()) return "has no question";
  if (!absl::SimpleAtod(fields[kPrinted], &row->printed) && is_asked) return "has no number";
  const bool is_judged = is_asked && row->role != Role::kRanking;
  if (!absl::SimpleAtod(fields[kTolerance], &row->tolerance) && is_judged)
    return "has no tolerance";
  if ((row->role == Role::kRanking) == fields[kCase].empty()) return "has a case, or lacks one";
  if (row->role == Role::kUnasked && fields[kNote].empty()) return "does not say why";
  double fitted = 0;
  const size_t equals = fields[kFitted].rfind('=');
  if (!fields[kFitted].empty() &&
      (equals == std::string::npos || !absl::SimpleAtod(&fields[kFitted][equals + 1], &fitted))) {
    return "has a fitted parameter without a value";
  }
  row->paper = fields[kPaper];
  row->ranking = fields[kCase];
  row->answer = fields[kAnswer];
  row->ask = fields[kAsk];
  row->fitted = fields[kFitted];
  row->over = fields[kOver];
  row->printed_text = fields[kPrinted];
  row->unit = fields[kUnit];
  row->where = fields[kWhere];
  row->note = fields[kNote];
  return "";
}

}  // namespace

absl::StatusOr<std::vector<PrintedRow>> ParsePrinted(absl::string_view text) {
  std::istringstream in{std::string(text)};
  console::CsvReader reader(&in);
  console::CsvRecord record;
  reader.Next(record);  // the header
  std::vector<PrintedRow> rows;
  while (reader.Next(record)) {
    PrintedRow row;
    const absl::string_view problem =
        record.error.ok() ? Parse(record.fields, &row) : "is not a CSV record";
    if (!problem.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("printed.csv:", record.line, ": the row ", problem));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

absl::string_view PaperTitle(absl::string_view paper) {
  for (const auto& [number, title] : kTitles) {
    if (number == paper) return title;
  }
  return paper;
}

}  // namespace cox::cli
