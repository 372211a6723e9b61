// Writes and checks selection files of MPICH with the library's own code.
//   selection tables NODES PPN    rows "collective block_bytes algorithm" from stdin, the file out
//   selection built-in            the built-in tree
//   selection check FILE          a line per finding
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "library/mpich/tree.h"
#include "library/tuning_format.h"

namespace {

using cox::library::DecisionTable;

const cox::library::TuningFormat& Format() {
  return **cox::library::FindTuningFormat("mpich-4.0", "json");
}

std::vector<DecisionTable> ReadTables(std::istream& in) {
  std::vector<DecisionTable> tables;
  std::string collective;
  cox::library::DecisionRow row;
  while (in >> collective >> row.block_bytes >> row.algorithm) {
    row.native_id = row.algorithm == "default" ? 0 : -1;
    if (tables.empty() || tables.back().collective != collective)
      tables.push_back({collective, {}});
    tables.back().rows.push_back(row);
  }
  return tables;
}

int WriteTables(int64_t nodes, int64_t ppn) {
  const auto text = cox::library::WriteTuning(ReadTables(std::cin), {"mpich-4.0", nodes, ppn, {}},
                                              Format(), {"written by a test"});
  if (!text.ok()) {
    std::cerr << text.status() << "\n";
    return 1;
  }
  std::cout << *text;
  return 0;
}

int Check(const char* path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const std::string& finding : Format().check(text, {})) std::cout << finding << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string verb = argc > 1 ? argv[1] : "";
  if (verb == "tables" && argc == 4) return WriteTables(std::atoll(argv[2]), std::atoll(argv[3]));
  if (verb == "check" && argc == 3) return Check(argv[2]);
  if (verb == "built-in") {
    std::cout << cox::library::MpichTreeText(cox::library::Mpich40Tree());
    return 0;
  }
  std::cerr << "selection tables NODES PPN | built-in | check FILE\n";
  return 2;
}
