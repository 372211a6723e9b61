#include "checks.h"

#include <cstdlib>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "csv.h"

namespace cox::golden {
namespace {

using ComputationsById = std::map<std::string, Quantity (*)()>;

ComputationsById AllComputations() {
  ComputationsById all;
  for (const auto& paper : {C3Computations(), AlphaBetaComputations(), BspComputations(),
                            HyperbolicComputations(), ClusterComputations()}) {
    for (const Computation& computation : paper) {
      all.emplace(std::string(computation.id), computation.compute);
    }
  }
  return all;
}

Status StatusOf(const std::string& text) {
  const std::map<std::string, Status> by_text = {
      {"reproduced", Status::kReproduced},
      {"reproduced with a reading", Status::kWithReading},
      {"not reproduced", Status::kNotReproduced},
      {"inputs not published", Status::kNoInputs}};
  return by_text.at(text);
}

Quantity NumbersOf(const std::string& text) {
  Quantity numbers;
  for (const absl::string_view part : absl::StrSplit(text, ';')) {
    double& number = numbers.emplace_back();
    if (!absl::SimpleAtod(part, &number)) std::abort();
  }
  return numbers;
}

}  // namespace

std::vector<Check> Checks() {
  const ComputationsById computations = AllComputations();
  std::vector<Check> checks;
  for (const Record& record : ReadTable("golden_checks.csv")) {
    Check& check = checks.emplace_back();
    check.id = record.at("id");
    check.quantity = record.at("quantity");
    check.inputs = record.at("inputs");
    check.expected_text = record.at("expected");
    check.expected = NumbersOf(check.expected_text);
    check.unit = record.at("unit");
    check.tolerance = NumberOf(record, "tol_abs");
    check.published = record.at("kind") == "published";
    check.status = StatusOf(record.at("status"));
    check.formula_value = NumberOf(record, "formula_value");
    check.source = record.at("source");
    const auto found = computations.find(check.id);
    if (found != computations.end()) check.compute = found->second;
  }
  return checks;
}

}  // namespace cox::golden
