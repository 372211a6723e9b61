#include "bsp_machines.h"

#include <cstdlib>
#include <iostream>

#include "csv.h"

namespace cox::golden {

Machine MachineOf(const std::string& platform) {
  static const std::vector<Record> kTable = ReadTable("juurlink_table1.csv");
  for (const Record& row : kTable) {
    if (row.at("platform") != platform) continue;
    return {NumberOf(row, "p"),          NumberOf(row, "word_bytes"),
            NumberOf(row, "g_us"),       NumberOf(row, "L_us"),
            NumberOf(row, "g_prime_us"), NumberOf(row, "sigma_us_per_byte"),
            NumberOf(row, "ell_us"),     NumberOf(row, "ratio_published")};
  }
  std::cerr << platform << ": not in the table\n";
  std::abort();
}

}  // namespace cox::golden
