// The numbers and orders that the papers print: printed.csv, compiled in. Constant data, any
// thread.
//
// A row has a question (question.h) that asks the product for the printed number, or says why there
// is none. Its columns:
//   paper      number of the paper, see PaperTitle()
//   case       the ranking that the row belongs to; empty for a number by itself
//   answer     what the number is of; in a ranking, the algorithm or route
//   role       see Role
//   ask, over  the number asked is ask x scale, or ask / over x scale
//   fitted     PARAMETER=VALUE that was fitted for the program of this row; empty: the machine's
//   own
//              parameters alone
//   scale      from seconds, or a model's units, to the unit of the row
//   printed    the printed number; in a ranking, smaller is better
//   tolerance  largest error, by the papers' metric, of a number that counts as within
//   where      section, equation, table or figure
//   note       how the row is read, or why it is not asked
#ifndef COX_CLI_VALIDATE_PRINTED_H_
#define COX_CLI_VALIDATE_PRINTED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::cli {

enum class Role {
  kPrediction,   // a number that the paper predicts by its own model
  kMeasurement,  // a measured number
  kRanking,      // one of the answers of a ranking
  kDerived,      // follows from printed parameters by a printed expression
  kFit,          // a parameter is fitted to it, so it judges nothing
  kUnasked,      // the paper does not give enough to ask, or no model can say it
};

struct PrintedRow {
  std::string paper;
  std::string ranking;
  std::string answer;
  Role role = Role::kUnasked;
  std::string ask;
  std::string fitted;
  std::string over;
  double scale = 1;
  double printed = 0;        // 0 where a row that is not asked has words or a range
  std::string printed_text;  // as in the file
  std::string unit;
  double tolerance = 0;
  std::string where;
  std::string note;
};

// The text of printed.csv.
absl::string_view PrintedText();

// The rows of such a text, in order. INVALID_ARGUMENT names the line and what is wrong.
absl::StatusOr<std::vector<PrintedRow>> ParsePrinted(absl::string_view text);

// "A framework for collective personalized communication", ...; the number itself if unknown.
absl::string_view PaperTitle(absl::string_view paper);

}  // namespace cox::cli

#endif  // COX_CLI_VALIDATE_PRINTED_H_
