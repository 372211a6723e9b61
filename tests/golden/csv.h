// Reads the tables of published numbers beside this file: CSV as in RFC 4180, a header, a record
// per line.
#ifndef COX_TESTS_GOLDEN_CSV_H_
#define COX_TESTS_GOLDEN_CSV_H_

#include <map>
#include <string>
#include <vector>

namespace cox::golden {

using Record = std::map<std::string, std::string>;  // by the header's names

// The records of tests/golden/<name>. Ends the program with a message if there is no such file, or
// if a record has another number of fields than the header.
std::vector<Record> ReadTable(const std::string& name);

// A field as a number; "" gives `otherwise`. Ends the program for other text.
double NumberOf(const Record& record, const std::string& name, double otherwise = 0);

}  // namespace cox::golden

#endif  // COX_TESTS_GOLDEN_CSV_H_
