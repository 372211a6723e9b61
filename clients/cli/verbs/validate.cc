// cox validate: what the papers print, asked of the daemon.
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "cli/validate/page.h"
#include "cli/validate/printed.h"
#include "cli/validate/question.h"
#include "cli/validate/scores.h"
#include "cli/verbs/verbs.h"
#include "console/table.h"
#include "console/units.h"

namespace cox::cli {
namespace {

using console::Align;
using console::Table;
using nlohmann::ordered_json;

struct ValidateOptions {
  bool markdown = false;
};

// The product's number for a row, with what was fitted for its program or without.
absl::StatusOr<double> ValueOf(const PrintedRow& row, absl::string_view fitted,
                               Connection& connection) {
  const absl::StatusOr<double> value =
      Ask(fitted.empty() ? row.ask : absl::StrCat(row.ask, " if:", fitted), connection);
  if (!value.ok()) return value.status();
  if (row.over.empty()) return *value * row.scale;
  const absl::StatusOr<double> over = Ask(row.over, connection);
  if (!over.ok()) return over.status();
  return *value / *over * row.scale;
}

absl::StatusOr<std::vector<Asked>> AskAll(const std::vector<PrintedRow>& rows,
                                          Connection& connection) {
  std::vector<Asked> asked;
  asked.reserve(rows.size());
  for (const PrintedRow& row : rows) {
    Asked& one = asked.emplace_back();
    one.row = &row;
    if (row.role == Role::kUnasked || row.role == Role::kFit) continue;
    const absl::StatusOr<double> value = ValueOf(row, row.fitted, connection);
    if (!value.ok()) return value.status();
    one.value = *value;
    one.value_by_machine = *value;
    if (row.fitted.empty()) continue;
    const absl::StatusOr<double> by_machine = ValueOf(row, "", connection);
    if (!by_machine.ok()) return by_machine.status();
    one.value_by_machine = *by_machine;
  }
  return asked;
}

std::string Of(int part, int all) { return all == 0 ? "-" : absl::StrCat(part, " of ", all); }

void PrintScores(const std::vector<PaperScore>& scores, std::ostream& out) {
  Table table({{"PAPER"},
               {"NUMBERS WITHIN", Align::kRight},
               {"MEDIAN ERROR", Align::kRight},
               {"RANKINGS HIT", Align::kRight},
               {"WITHOUT FITS", Align::kRight},
               {"MEAN TAU", Align::kRight},
               {"NOT ASKED", Align::kRight}});
  for (const PaperScore& score : scores) {
    const bool is_sum = score.paper.empty();
    table.Add({is_sum ? "all" : score.paper, Of(score.within, score.judged),
               score.judged > 0 ? console::FormatError(score.median_error) : "-",
               Of(score.hits, score.rankings), Of(score.hits_by_machine, score.rankings),
               score.rankings > 0 ? absl::StrFormat("%.2f", score.mean_tau) : "-",
               absl::StrCat(score.unasked)});
  }
  table.Print(out);
  for (const PaperScore& score : scores) {
    if (!score.paper.empty()) out << score.paper << ": " << PaperTitle(score.paper) << '\n';
  }
}

void PrintMisses(const std::vector<Asked>& asked, const std::vector<Ranking>& rankings,
                 std::ostream& out) {
  Table table({{"PAPER"}, {"NOT AS PRINTED"}, {"PRINTED"}, {"ASKED"}, {"WHERE"}});
  for (const Asked& one : asked) {
    const PrintedRow& row = *one.row;
    const bool is_number = IsJudged(row) || row.role == Role::kDerived;
    if (!is_number || IsWithin(one)) continue;
    table.Add({row.paper, row.answer, absl::StrCat(row.printed_text, " ", row.unit),
               absl::StrCat(FourDigits(one.value), " ", row.unit), row.where});
  }
  for (const Ranking& ranking : rankings) {
    if (ranking.is_hit) continue;
    const PrintedRow& best = *ranking.answers[0]->row;
    table.Add({ranking.paper, ranking.name, best.answer, ranking.best->row->answer, best.where});
  }
  if (table.empty()) return;
  out << '\n';
  table.Print(out);
}

ordered_json JsonOf(const Asked& asked) {
  const PrintedRow& row = *asked.row;
  ordered_json json = {{"paper", row.paper},     {"answer", row.answer}, {"ask", row.ask},
                       {"fitted", row.fitted},   {"over", row.over},     {"unit", row.unit},
                       {"printed", row.printed}, {"asked", asked.value}, {"where", row.where},
                       {"note", row.note}};
  if (row.role == Role::kRanking) {
    json["asked_by_machine"] = asked.value_by_machine;
    return json;
  }
  json["error"] = ErrorOfAsked(asked);
  json["tolerance"] = row.tolerance;
  json["within"] = IsWithin(asked);
  return json;
}

ordered_json JsonOf(const std::vector<Asked>& asked, const std::vector<Ranking>& rankings,
                    const std::vector<PaperScore>& scores) {
  ordered_json json;
  json["headline"] = HeadlineOf(scores.back());
  for (const PaperScore& score : scores) {
    json["papers"].push_back({{"paper", score.paper},
                              {"judged", score.judged},
                              {"within", score.within},
                              {"median_error", score.median_error},
                              {"rankings", score.rankings},
                              {"hits", score.hits},
                              {"fitted_rankings", score.fitted_rankings},
                              {"hits_by_machine", score.hits_by_machine},
                              {"mean_tau", score.mean_tau},
                              {"mean_tau_by_machine", score.mean_tau_by_machine},
                              {"derived", score.derived},
                              {"derived_within", score.derived_within},
                              {"fitted", score.fitted},
                              {"unasked", score.unasked}});
  }
  for (const Asked& one : asked) {
    if (IsJudged(*one.row)) json["numbers"].push_back(JsonOf(one));
    if (one.row->role == Role::kDerived) json["derived"].push_back(JsonOf(one));
  }
  for (const Ranking& ranking : rankings) {
    ordered_json entry = {{"paper", ranking.paper},
                          {"ranking", ranking.name},
                          {"best", ranking.best->row->answer},
                          {"hit", ranking.is_hit},
                          {"tau", ranking.tau},
                          {"hit_by_machine", ranking.is_hit_by_machine},
                          {"tau_by_machine", ranking.tau_by_machine}};
    for (const Asked* answer : ranking.answers) entry["answers"].push_back(JsonOf(*answer));
    json["rankings"].push_back(std::move(entry));
  }
  return json;
}

absl::Status Validate(Session& session, const ValidateOptions& options) {
  const absl::StatusOr<std::vector<PrintedRow>> rows = ParsePrinted(PrintedText());
  if (!rows.ok()) return rows.status();
  const absl::StatusOr<std::vector<Asked>> asked = AskAll(*rows, session.connection());
  if (!asked.ok()) return asked.status();
  if (options.markdown) {
    session.out() << PageOf(*asked);
    return absl::OkStatus();
  }
  const std::vector<Ranking> rankings = RankingsOf(*asked);
  const std::vector<PaperScore> scores = ScoresOf(*asked, rankings);
  if (session.json()) {
    session.out() << JsonOf(*asked, rankings, scores) << '\n';
    return absl::OkStatus();
  }
  session.out() << HeadlineOf(scores.back()) << "\n\n";
  PrintScores(scores, session.out());
  PrintMisses(*asked, rankings, session.out());
  return absl::OkStatus();
}

}  // namespace

void AddValidateVerb(Verb app) {
  Verb verb =
      app.Sub("validate", "Ask the daemon for what the papers print, and score the answers");
  verb.Footer(
      "Examples:\n"
      "  cox validate\n"
      "  cox validate --json | jq '.rankings[] | select(.hit | not)'\n"
      "Asks about the published machines, which the daemon must have: `cox machine list`.\n"
      "docs/validation.md says what is asked, fitted and left out, and why.");
  auto options = std::make_shared<ValidateOptions>();
  verb.Flag("--markdown", options->markdown, "Write the first part of docs/validation.md");
  verb.Do([options](Session& session) { return Validate(session, *options); },
          [options](const GlobalOptions& global) {
            return options->markdown && global.json ? UsageError("--markdown excludes --json")
                                                    : absl::OkStatus();
          });
}

}  // namespace cox::cli
