// Writes docs/validation.md, or, with an argument, that file: what `cox validate --markdown` says
// comes on the standard input, and the arithmetic behind it.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "checks.h"
#include "report.h"

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : std::string(COX_SOURCE_DIR) + "/docs/validation.md";
  const std::string product{std::istreambuf_iterator<char>(std::cin), {}};
  if (product.empty()) {
    std::cerr << "usage: cox validate --markdown | validation_report [FILE]\n";
    return 2;
  }
  std::ofstream file(path);
  file << product << '\n' << cox::golden::ArithmeticOf(cox::golden::Checks());
  file.close();
  if (!file) {
    std::cerr << path << ": cannot be written\n";
    return 1;
  }
  return 0;
}
