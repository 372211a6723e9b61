#include "store/cell.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "store/store.h"

namespace cox::store {
namespace {

constexpr double kLeastLog = -32;
constexpr double kGreatestLog = 16;

bool IsBefore(const CellBin& bin, int64_t index) { return bin.index < index; }

// The most bytes of a number: 64 bits, 7 in a byte.
constexpr size_t kMaxNumberBytes = 10;
constexpr size_t kNumbersPerBin = 4;

// Returns where the next number goes.
char* WriteNumber(int64_t value, char* out) {
  uint64_t rest = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
  for (; rest >= 0x80; rest >>= 7) *out++ = static_cast<char>(rest | 0x80);
  *out++ = static_cast<char>(rest);
  return out;
}

// False at the end or where no number is.
bool TakeNumber(absl::string_view& bytes, int64_t& value) {
  uint64_t number = 0;
  for (int shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    number |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte >= 0x80) continue;
    value = static_cast<int64_t>(number >> 1 ^ (~(number & 1) + 1));
    return true;
  }
  return false;
}

void AddBin(const CellBin& part, std::vector<CellBin>& bins) {
  auto it = std::lower_bound(bins.begin(), bins.end(), part.index, IsBefore);
  if (it == bins.end() || it->index != part.index) it = bins.insert(it, {.index = part.index});
  it->count += part.count;
  it->offset_sum += part.offset_sum;
  it->square_sum += part.square_sum;
}

}  // namespace

void AddTiming(double time_s, int64_t timing_count, int64_t reporter, Cell& cell) {
  const double log_time = std::clamp(std::log(time_s), kLeastLog, kGreatestLog);
  const int64_t index = std::llround(log_time * kBinsPerE);
  const int64_t offset =
      std::llround((log_time - static_cast<double>(index) / kBinsPerE) * kOffsetsPerE);
  AddBin({.index = index, .count = 1, .offset_sum = offset, .square_sum = offset * offset},
         cell.bins);
  ++cell.observation_count;
  cell.weight += std::min(timing_count, static_cast<int64_t>(Store::kMaxCellWeight));
  cell.reporter_sum += reporter;
  cell.reporter_square_sum += reporter * reporter;
}

void SetReporter(int64_t reporter, Cell& cell) {
  // A damaged count must not overflow.
  const auto number = static_cast<uint64_t>(reporter);
  const uint64_t sum = static_cast<uint64_t>(cell.observation_count) * number;
  cell.reporter_sum = static_cast<int64_t>(sum);
  cell.reporter_square_sum = static_cast<int64_t>(sum * number);
}

int64_t OnlyReporter(const Cell& cell) {
  // Numbers whose mean square is the square of their mean are all the same.
  const __int128 sum = cell.reporter_sum;
  if (cell.observation_count < 1 || sum < 1 ||
      static_cast<__int128>(cell.observation_count) * cell.reporter_square_sum != sum * sum) {
    return 0;
  }
  return cell.reporter_sum / cell.observation_count;
}

void Add(const Cell& part, Cell& whole) {
  whole.observation_count += part.observation_count;
  whole.weight += part.weight;
  whole.reporter_sum += part.reporter_sum;
  whole.reporter_square_sum += part.reporter_square_sum;
  for (const CellBin& bin : part.bins) AddBin(bin, whole.bins);
}

void Remove(const Cell& part, Cell& whole) {
  whole.observation_count -= part.observation_count;
  whole.weight -= part.weight;
  whole.reporter_sum -= part.reporter_sum;
  whole.reporter_square_sum -= part.reporter_square_sum;
  for (const CellBin& bin : part.bins) {
    AddBin({.index = bin.index,
            .count = -bin.count,
            .offset_sum = -bin.offset_sum,
            .square_sum = -bin.square_sum},
           whole.bins);
  }
  std::erase_if(whole.bins, [](const CellBin& bin) { return bin.count <= 0; });
}

std::string EncodeBins(const std::vector<CellBin>& bins) {
  std::string bytes;
  bytes.reserve(bins.size() * 12);
  int64_t previous = 0;
  for (const CellBin& bin : bins) {
    char numbers[kNumbersPerBin * kMaxNumberBytes];
    char* end = WriteNumber(bin.index - previous, numbers);
    end = WriteNumber(bin.count, end);
    end = WriteNumber(bin.offset_sum, end);
    end = WriteNumber(bin.square_sum, end);
    bytes.append(numbers, end);
    previous = bin.index;
  }
  return bytes;
}

absl::StatusOr<std::vector<CellBin>> DecodeBins(absl::string_view bytes) {
  std::vector<CellBin> bins;
  int64_t index = 0;
  while (!bytes.empty()) {
    int64_t step = 0;
    CellBin bin;
    if (!TakeNumber(bytes, step) || !TakeNumber(bytes, bin.count) ||
        !TakeNumber(bytes, bin.offset_sum) || !TakeNumber(bytes, bin.square_sum) || bin.count < 1 ||
        bin.square_sum < 0 || (step <= 0 && !bins.empty())) {
      return absl::DataLossError("database: the bins of a cell are damaged");
    }
    bin.index = index += step;
    bins.push_back(bin);
  }
  return bins;
}

}  // namespace cox::store
