#include "bsp_machines.h"

#include <cstdlib>
#include <iostream>

#include "csv.h"
#include "pricing.h"

namespace cox::golden {

Machine MachineOf(const std::string& platform) {
  static const std::vector<Record> kTable = ReadTable("juurlink_table1.csv");
  for (const Record& row : kTable) {
    if (row.at("platform") != platform) continue;
    return {NumberOf(row, "p"),     NumberOf(row, "word_bytes"), NumberOf(row, "g_us"),
            NumberOf(row, "L_us"),  NumberOf(row, "g_prime_us"), NumberOf(row, "sigma_us_per_byte"),
            NumberOf(row, "ell_us")};
  }
  std::cerr << platform << ": not in the table\n";
  std::abort();
}

double BspUs(const Machine& m, const model::Schedule& schedule) {
  return 1e6 * Price("bsp", {{"g", m.g * 1e-6 / m.word_bytes}, {"L", m.l * 1e-6}}, schedule);
}
double BpramUs(const Machine& m, const model::Schedule& schedule) {
  return 1e6 * Price("bpram", {{"sigma", m.sigma * 1e-6}, {"ell", m.ell * 1e-6}}, schedule);
}
double EBspUs(const Machine& m, const model::Schedule& schedule) {
  return 1e6 * Price("e-bsp",
                     {{"g", m.g * 1e-6 / m.word_bytes},
                      {"L", m.l * 1e-6},
                      {"g_scatter", m.g_scatter * 1e-6 / m.word_bytes},
                      {"L_scatter", m.l * 1e-6}},
                     schedule);
}

}  // namespace cox::golden
