#include "csv.h"

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"

namespace cox::golden {
namespace {

[[noreturn]] void Stop(const std::string& message) {
  std::cerr << message << "\n";
  std::abort();
}

std::vector<std::string> FieldsOf(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

std::vector<Record> ReadTable(const std::string& name) {
  std::ifstream file(std::string(COX_SOURCE_DIR) + "/tests/golden/" + name);
  std::string line;
  if (!std::getline(file, line)) Stop(absl::StrCat(name, ": cannot be read"));
  const std::vector<std::string> names = FieldsOf(line);
  std::vector<Record> records;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = FieldsOf(line);
    if (fields.size() != names.size())
      Stop(absl::StrCat(name, ": not as many fields as names: ", line));
    Record& record = records.emplace_back();
    for (size_t i = 0; i < names.size(); ++i) record[names[i]] = fields[i];
  }
  return records;
}

double NumberOf(const Record& record, const std::string& name, double otherwise) {
  const std::string& text = record.at(name);
  if (text.empty()) return otherwise;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end != '\0') Stop(absl::StrCat(name, ": \"", text, "\" is not a number"));
  return value;
}

}  // namespace cox::golden
