// Scores of what was asked against what the papers print. Pure functions, any thread.
#ifndef COX_CLI_VALIDATE_SCORES_H_
#define COX_CLI_VALIDATE_SCORES_H_

#include <string>
#include <vector>

#include "cli/validate/printed.h"

namespace cox::cli {

// A row and the product's numbers for it; 0 if the row is not asked.
struct Asked {
  const PrintedRow* row = nullptr;
  double value = 0;             // with what was fitted for the row's program
  double value_by_machine = 0;  // with the machine's own parameters alone
};

// Whether the row is a number that is judged, and whether it comes from the paper's own print.
bool IsJudged(const PrintedRow& row);

// The papers' metric |a - b| / min(a, b); infinite if exactly one is 0.
double ErrorOfAsked(const Asked& asked);
bool IsWithin(const Asked& asked);

struct Ranking {
  std::string paper;
  std::string name;
  std::vector<const Asked*> answers;  // as printed, the best first
  const Asked* best = nullptr;        // as asked
  bool is_hit = false;                // the best as asked is a best as printed
  double tau = 0;                     // Kendall's, over pairs that are not equal in print
  std::string fitted;                 // PrintedRow::fitted of its answers; empty: nothing
  bool is_hit_by_machine = false;     // the same two, with the machine's own parameters alone
  double tau_by_machine = 0;
};

// The rankings, in order. The rows of one follow each other. Two costs that differ by less than
// 1e-9 of themselves are equal; an equal best is a hit, and an equal pair adds 0 to tau.
std::vector<Ranking> RankingsOf(const std::vector<Asked>& asked);

// What one paper's rows add up to.
struct PaperScore {
  std::string paper;
  int judged = 0;
  int within = 0;
  int rankings = 0;
  int hits = 0;
  int fitted_rankings = 0;  // rankings with a parameter that was fitted for their program
  int hits_by_machine = 0;  // with the machine's own parameters alone
  double mean_tau = 0;      // 0 without rankings
  double mean_tau_by_machine = 0;
  double median_error = 0;  // of judged numbers; 0 without
  int derived = 0;
  int derived_within = 0;
  int fitted = 0;
  int unasked = 0;
};

// By paper, in order; the last one is the sum, with the paper "".
std::vector<PaperScore> ScoresOf(const std::vector<Asked>& asked,
                                 const std::vector<Ranking>& rankings);

}  // namespace cox::cli

#endif  // COX_CLI_VALIDATE_SCORES_H_
