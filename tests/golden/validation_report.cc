// Writes docs/validation.md, or, with an argument, that file.
#include <fstream>
#include <iostream>
#include <string>

#include "checks.h"
#include "report.h"

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : std::string(COX_SOURCE_DIR) + "/docs/validation.md";
  std::ofstream file(path);
  file << cox::golden::ReportOf(cox::golden::Checks());
  file.close();
  if (!file) {
    std::cerr << path << ": cannot be written\n";
    return 1;
  }
  return 0;
}
