// Prints the algorithm that really runs, by server/library, when Open MPI is forced to run one.
//
// usage: effective < QUESTIONS
// A question per line, "COLLECTIVE NATIVE_ID RANKS BLOCK_BYTES TYPE_BYTES"; each answer is a
// line with the algorithm's number, or 0 if the library would fail or use its default. Exits with 1
// on a malformed line.
#include <iostream>
#include <sstream>
#include <string>

#include "domain/parse_collective.h"
#include "library/algorithms.h"

namespace cox::library {
namespace {

constexpr char kLibrary[] = "openmpi-4.1";

bool Answer(const std::string& question) {
  std::istringstream words(question);
  std::string name;
  int native_id = 0;
  strategy::Scenario scenario;
  words >> name >> native_id >> scenario.ranks >> scenario.block_bytes >> scenario.type_bytes;
  const auto collective = domain::ParseCollective(name);
  if (words.fail() || !collective.ok()) return false;
  scenario.collective = *collective;
  scenario.ppn = scenario.ranks;
  const Algorithm* row = FindNativeAlgorithm(kLibrary, *collective, native_id);
  if (row == nullptr || !strategy::Validate(scenario).ok()) return false;
  const Algorithm* running = Effective(*row, scenario, kUsualCalls);
  std::cout << (running == nullptr ? 0 : running->native_id) << '\n';
  return true;
}

}  // namespace
}  // namespace cox::library

int main() {
  std::string question;
  while (std::getline(std::cin, question)) {
    if (cox::library::Answer(question)) continue;
    std::cerr << "effective: no question: " << question << '\n';
    return 1;
  }
  return 0;
}
