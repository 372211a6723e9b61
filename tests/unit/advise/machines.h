// Machines for the tests of this folder: a known profile, and cells that put the library's default
// and its algorithms at given distances from it.
#ifndef COX_TESTS_UNIT_ADVISE_MACHINES_H_
#define COX_TESTS_UNIT_ADVISE_MACHINES_H_

#include <memory>
#include <string>
#include <vector>

#include "../learn/synthetic.h"
#include "advise/machine_view.h"
#include "advise/recommend.h"
#include "domain/profile.h"

namespace cox::advise {

using MachinePointer = std::shared_ptr<const MachineView>;

inline domain::Profile KnownProfile() { return learn::HockneyProfile(5e-7, 1e-10, 3e-6, 4e-10); }

// 16 nodes of 4 cores, revision 3.
inline MachinePointer MachineWith(const std::vector<learn::Cell>& cells,
                                  domain::Profile profile = KnownProfile()) {
  return BuildMachineView("test", 16, 4, 3, std::move(profile), cells);
}

// Cells of one collective on 8 nodes of 4 ranks over the sizes of interest. Each algorithm takes
// its structural time multiplied by `factor`.
inline void AddPriced(const std::string& collective, const std::string& algorithm, double factor,
                      std::vector<learn::Cell>* cells) {
  for (int64_t bytes = 8; bytes <= 1 << 20; bytes *= 8) {
    learn::Cell cell = learn::MakeCell(collective, algorithm, 8, 4, bytes, 1);
    cell.mean_log_time = std::log(factor * learn::PriceOf(cell, KnownProfile()));
    cell.weight = 20;
    cells->push_back(cell);
  }
}

// The same for the default: `factor` times the price of `like`.
inline void AddDefault(const std::string& collective, const std::string& like, double factor,
                       std::vector<learn::Cell>* cells) {
  std::vector<learn::Cell> priced;
  AddPriced(collective, like, factor, &priced);
  for (learn::Cell& cell : priced) {
    cell.algorithm = "default";
    cells->push_back(cell);
  }
}

inline Question Ask(const std::string& collective, int64_t block_bytes) {
  Question question;
  question.library = "openmpi-4.1";
  question.collective = collective;
  question.nodes = 8;
  question.ppn = 4;
  question.ranks = 32;
  question.block_bytes = block_bytes;
  return question;
}

}  // namespace cox::advise

#endif  // COX_TESTS_UNIT_ADVISE_MACHINES_H_
