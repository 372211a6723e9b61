// Sums of one scenario's observations: counts and integer sums per bin of ln(time_s). Any
// observation can be removed again exactly, in any order. This file has the arithmetic and the file
// format; learn/robust_location.h estimates the time.
//
// Bounded: times are clamped to e^-32 .. e^16 seconds, so a cell has at most 1537 bins; one honest
// cell has some ten.
//
// Thread rule: pure. Failure rule: cannot fail, but DecodeBins.
#ifndef COX_STORE_CELL_H_
#define COX_STORE_CELL_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::store {

// Bins are centred at index / kBinsPerE in ln(seconds): 3.2 % wide.
inline constexpr int kBinsPerE = 32;
// Offsets from a bin's centre are counted in units of 1 / kOffsetsPerE: a millionth of the time.
inline constexpr int kOffsetsPerE = 1 << 20;

// Each observation counts once; its own count is not used here.
struct CellBin {
  int64_t index = 0;
  int64_t count = 0;       // observations
  int64_t offset_sum = 0;  // of their offsets from the bin's centre
  int64_t square_sum = 0;  // of the squares of these
  friend bool operator==(const CellBin&, const CellBin&) = default;
};

struct Cell {
  int64_t observation_count = 0;
  int64_t weight = 0;           // timings, at most Store::kMaxCellWeight of an observation
  std::vector<CellBin> bins{};  // in order of index, none empty
  // Over the observations, of domain::ReporterNumber() of their sources and of its square: they
  // tell whether all are one reporter's, also after some were removed.
  int64_t reporter_sum = 0;
  int64_t reporter_square_sum = 0;
  friend bool operator==(const Cell&, const Cell&) = default;
};

// For sums that need not know whose observations they are.
inline constexpr int64_t kNotTold = 0;

// One observation: time_s > 0, timing_count >= 1, and the domain::ReporterNumber() of its source.
void AddTiming(double time_s, int64_t timing_count, int64_t reporter, Cell& cell);

// Makes all of the cell's observations this reporter's.
void SetReporter(int64_t reporter, Cell& cell);

// The number of the one untrusted reporter of all observations; 0: there are several, or an
// operator has reported some.
int64_t OnlyReporter(const Cell& cell);

// Adds the sums of `part` to `whole`.
void Add(const Cell& part, Cell& whole);

// Removes an earlier addition.
void Remove(const Cell& part, Cell& whole);

// Bins as they lie in the file: per bin four numbers (the step of the index, count, offset_sum,
// square_sum), zigzag and base 128 as in Protocol Buffers.
std::string EncodeBins(const std::vector<CellBin>& bins);
// DATA_LOSS for bytes that EncodeBins cannot have written.
absl::StatusOr<std::vector<CellBin>> DecodeBins(absl::string_view bytes);

}  // namespace cox::store

#endif  // COX_STORE_CELL_H_
