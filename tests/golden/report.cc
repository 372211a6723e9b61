#include "report.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace cox::golden {
namespace {

struct Paper {
  absl::string_view ids;  // what its checks' ids begin with
  absl::string_view title;
  absl::string_view citation;
};

constexpr Paper kPapers[] = {
    {"C3-", "C3",
     "S. E. Hambrusch, A. A. Khokhar, C3: an architecture-independent model for coarse-grained "
     "parallel machines."},
    {"K-", "Personalized communication",
     "L. V. Kale, S. Kumar, K. Varadarajan, A framework for collective personalized communication, "
     "2003."},
    {"J-", "BSP, E-BSP, BPRAM",
     "B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation "
     "models, ACM TOCS 16(3), 1998."},
    {"H-", "Hyperbolic",
     "I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of "
     "architectures, 1996."},
    {"T-", "Cluster and Postal",
     "A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on cluster, "
     "1999."},
};

constexpr absl::string_view kStatusNames[] = {"reproduced", "with a reading", "NOT reproduced",
                                              "inputs not published"};

// Seven digits are what the checks are about; the last ones of a double differ between machines.
std::string Text(double value) { return absl::StrFormat("%.7g", value); }

std::string Text(const Quantity& quantity) {
  return absl::StrJoin(quantity, "; ",
                       [](std::string* out, double value) { absl::StrAppend(out, Text(value)); });
}

std::string Difference(const Quantity& ours, const Quantity& expected) {
  double largest = 0;
  double scale = 1e-12;
  for (size_t i = 0; i < ours.size(); ++i) {
    largest = std::max(largest, std::abs(ours[i] - expected[i]));
    scale = std::max(scale, std::abs(expected[i]));
  }
  if (largest < 2e-6 * scale) return "0";  // less than the digits that are shown
  if (ours.size() > 1) return absl::StrFormat("%.2g", largest);
  return absl::StrFormat("%+.2g (%+.2g %%)", ours[0] - expected[0],
                         100 * (ours[0] - expected[0]) / expected[0]);
}

std::string Cell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

std::string Row(const Check& check) {
  const Quantity ours = check.compute();
  const std::string unit = check.unit.empty() ? "" : absl::StrCat(" ", check.unit);
  return absl::StrCat("| ", check.id, " | ", Cell(check.quantity),
                      check.inputs.empty() ? "" : absl::StrCat(" (", Cell(check.inputs), ")"),
                      " | ", Text(check.expected), unit, check.published ? "" : " *", " | ",
                      Text(ours), " | ", Difference(ours, check.expected), " | ",
                      kStatusNames[static_cast<size_t>(check.status)], " | ", Cell(check.source),
                      " |\n");
}

bool Has(const Paper& paper, const Check& check) {
  return absl::string_view(check.id).substr(0, paper.ids.size()) == paper.ids;
}

std::string Summary(const std::vector<Check>& checks) {
  std::string text = "| paper | printed | derived |";
  for (const absl::string_view status : kStatusNames) absl::StrAppend(&text, " ", status, " |");
  text += "\n|---|---|---|---|---|---|---|\n";
  for (const Paper& paper : kPapers) {
    int printed = 0;
    int derived = 0;
    int counts[std::size(kStatusNames)] = {};
    for (const Check& check : checks) {
      if (!Has(paper, check)) continue;
      ++(check.published ? printed : derived);
      ++counts[static_cast<size_t>(check.status)];
    }
    absl::StrAppend(&text, "| ", paper.title, " | ", printed, " | ", derived, " |");
    for (const int count : counts) absl::StrAppend(&text, " ", count, " |");
    text += "\n";
  }
  return text;
}

std::string Section(const Paper& paper, const std::vector<Check>& checks) {
  std::string text = absl::StrCat("\n### ", paper.title, "\n\n", paper.citation, "\n\n",
                                  "| id | quantity | paper | ours | difference | status | where "
                                  "|\n|---|---|---|---|---|---|---|\n");
  std::string notes;
  for (const Check& check : checks) {
    if (!Has(paper, check)) continue;
    text += Row(check);
    const absl::string_view explanation = ExplanationOf(check.id);
    if (!explanation.empty()) absl::StrAppend(&notes, "- **", check.id, "**: ", explanation, "\n");
  }
  return absl::StrCat(text, notes.empty() ? "" : "\n", notes);
}

}  // namespace

std::string ArithmeticOf(const std::vector<Check>& checks) {
  std::string text = absl::StrCat(
      kArithmetic,
      "\n"
      "Prices and analyses of the product's own code, called by `tests/golden` with a paper's "
      "parameters. They ask nothing of a\n"
      "daemon, so they do not count above.\n\n"
      "*Paper*: the number as printed, or, marked *, as it follows from printed parameters. "
      "*Reproduced*: within the\n"
      "tolerance of the check. *With a reading*: the same, where the paper is unclear at one place "
      "and the note says how it is\n"
      "read. *NOT reproduced*: the paper's own formula gives another number than the paper quotes; "
      "a test pins both.\n"
      "*Inputs not published*: for information.\n\n",
      Summary(checks));
  for (const Paper& paper : kPapers) text += Section(paper, checks);
  return text;
}

}  // namespace cox::golden
