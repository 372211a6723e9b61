#include "cli/validate/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "console/median.h"
#include "model/analysis/error_metric.h"

namespace cox::cli {
namespace {

constexpr double kEqual = 1e-9;

// -1, 0 or 1.
int Compare(double a, double b) {
  if (std::abs(a - b) <= kEqual * std::max(std::abs(a), std::abs(b))) return 0;
  return a < b ? -1 : 1;
}

using ValueOf = double Asked::*;

double TauOf(const std::vector<const Asked*>& answers, ValueOf value) {
  int pairs = 0;
  int agreement = 0;
  for (size_t i = 0; i < answers.size(); ++i) {
    for (size_t j = i + 1; j < answers.size(); ++j) {
      const int printed = Compare(answers[i]->row->printed, answers[j]->row->printed);
      if (printed == 0) continue;
      ++pairs;
      agreement += printed * Compare(answers[i]->*value, answers[j]->*value);
    }
  }
  return pairs == 0 ? 0 : static_cast<double>(agreement) / pairs;
}

// The cheapest answer; if several are equal, one that is a best as printed. The answers are in
// their printed order.
const Asked* BestOf(const std::vector<const Asked*>& answers, ValueOf value, bool* is_hit) {
  const Asked* best =
      *std::min_element(answers.begin(), answers.end(),
                        [value](const Asked* a, const Asked* b) { return a->*value < b->*value; });
  *is_hit = false;
  for (const Asked* answer : answers) {
    if (Compare(answer->row->printed, answers[0]->row->printed) != 0) break;
    if (Compare(answer->*value, best->*value) != 0) continue;
    *is_hit = true;
    return answer;
  }
  return best;
}

void Finish(Ranking* ranking) {
  std::vector<const Asked*>& answers = ranking->answers;
  std::stable_sort(answers.begin(), answers.end(), [](const Asked* a, const Asked* b) {
    return a->row->printed < b->row->printed;
  });
  ranking->tau = TauOf(answers, &Asked::value);
  ranking->tau_by_machine = TauOf(answers, &Asked::value_by_machine);
  ranking->best = BestOf(answers, &Asked::value, &ranking->is_hit);
  BestOf(answers, &Asked::value_by_machine, &ranking->is_hit_by_machine);
  for (const Asked* answer : answers) {
    if (ranking->fitted.empty()) ranking->fitted = answer->row->fitted;
  }
}

PaperScore ScoreOf(const std::string& paper, const std::vector<Asked>& asked,
                   const std::vector<Ranking>& rankings) {
  PaperScore score;
  score.paper = paper;
  std::vector<double> errors;
  for (const Asked& one : asked) {
    if (!paper.empty() && one.row->paper != paper) continue;
    const bool is_within = IsWithin(one);
    if (IsJudged(*one.row)) {
      ++score.judged;
      score.within += is_within ? 1 : 0;
      errors.push_back(ErrorOfAsked(one));
    }
    if (one.row->role == Role::kDerived) {
      ++score.derived;
      score.derived_within += is_within ? 1 : 0;
    }
    if (one.row->role == Role::kFit) ++score.fitted;
    if (one.row->role == Role::kUnasked) ++score.unasked;
  }
  double tau_sum = 0;
  double tau_sum_by_machine = 0;
  for (const Ranking& ranking : rankings) {
    if (!paper.empty() && ranking.paper != paper) continue;
    ++score.rankings;
    score.hits += ranking.is_hit ? 1 : 0;
    tau_sum += ranking.tau;
    score.fitted_rankings += ranking.fitted.empty() ? 0 : 1;
    score.hits_by_machine += ranking.is_hit_by_machine ? 1 : 0;
    tau_sum_by_machine += ranking.tau_by_machine;
  }
  if (score.rankings > 0) {
    score.mean_tau = tau_sum / score.rankings;
    score.mean_tau_by_machine = tau_sum_by_machine / score.rankings;
  }
  score.median_error = console::MedianOf(std::move(errors));
  return score;
}

}  // namespace

bool IsJudged(const PrintedRow& row) {
  return row.role == Role::kPrediction || row.role == Role::kMeasurement;
}

double ErrorOfAsked(const Asked& asked) {
  const auto error = model::ErrorOf(asked.row->printed, asked.value);
  return error.ok() ? *error : std::numeric_limits<double>::infinity();
}

bool IsWithin(const Asked& asked) { return ErrorOfAsked(asked) <= asked.row->tolerance; }

std::vector<Ranking> RankingsOf(const std::vector<Asked>& asked) {
  std::vector<Ranking> rankings;
  for (const Asked& one : asked) {
    const PrintedRow& row = *one.row;
    if (row.role != Role::kRanking) continue;
    if (rankings.empty() || rankings.back().name != row.ranking ||
        rankings.back().paper != row.paper) {
      Ranking& ranking = rankings.emplace_back();
      ranking.paper = row.paper;
      ranking.name = row.ranking;
    }
    rankings.back().answers.push_back(&one);
  }
  for (Ranking& ranking : rankings) Finish(&ranking);
  return rankings;
}

std::vector<PaperScore> ScoresOf(const std::vector<Asked>& asked,
                                 const std::vector<Ranking>& rankings) {
  std::vector<std::string> papers;
  for (const Asked& one : asked) {
    if (std::find(papers.begin(), papers.end(), one.row->paper) == papers.end()) {
      papers.push_back(one.row->paper);
    }
  }
  papers.emplace_back();  // all
  std::vector<PaperScore> scores;
  scores.reserve(papers.size());
  for (const std::string& paper : papers) scores.push_back(ScoreOf(paper, asked, rankings));
  return scores;
}

}  // namespace cox::cli
