#include "collectives/choice/pattern_report.h"

#include <algorithm>
#include <cstring>

namespace cox::collectives {
namespace {

struct ReportHead {
  int64_t messages;  // of the rank
  int64_t listed;    // that follow in the report
  double median_s;
};

template <typename T>
void Append(const T& value, std::vector<char>* bytes) {
  const size_t end = bytes->size();
  bytes->resize(end + sizeof(T));
  std::memcpy(bytes->data() + end, &value, sizeof(T));
}

template <typename T>
bool Take(std::span<const char>* bytes, T* value) {
  if (bytes->size() < sizeof(T)) return false;
  std::memcpy(value, bytes->data(), sizeof(T));
  *bytes = bytes->subspan(sizeof(T));
  return true;
}

// Restores messages that are not listed: each listed one represents equally many.
void Spread(std::span<const Transfer> listed, int64_t messages, std::vector<Transfer>* all) {
  const auto count = static_cast<int64_t>(listed.size());
  for (int64_t i = 0; i < count; ++i) {
    const int64_t copies = messages * (i + 1) / count - messages * i / count;
    Transfer one = listed[static_cast<size_t>(i)];
    one.bytes /= static_cast<double>(std::max<int64_t>(copies, 1));
    all->insert(all->end(), static_cast<size_t>(copies), one);
  }
}

}  // namespace

std::vector<char> WritePatternReport(std::span<const Transfer> messages, double median_s) {
  const size_t listed = std::min<size_t>(messages.size(), kMostListed);
  std::vector<char> bytes;
  const size_t counted = std::min<size_t>(messages.size(), kMostCounted);
  Append(ReportHead{static_cast<int64_t>(counted), static_cast<int64_t>(listed), median_s}, &bytes);
  for (size_t i = 0; i < listed; ++i) {
    const size_t first = messages.size() * i / listed;
    const size_t end = messages.size() * (i + 1) / listed;
    Transfer together = messages[first];
    for (size_t k = first + 1; k < end; ++k) together.bytes += messages[k].bytes;
    Append(together, &bytes);
  }
  return bytes;
}

bool ReadPatternReports(std::span<const char> bytes, PatternReports* reports) {
  std::vector<Transfer> listed;
  while (!bytes.empty()) {
    ReportHead head;
    if (!Take(&bytes, &head) || head.listed < 0 || head.listed > kMostListed ||
        head.messages > kMostCounted) {
      return false;
    }
    listed.resize(static_cast<size_t>(head.listed));
    for (Transfer& transfer : listed) {
      if (!Take(&bytes, &transfer)) return false;
    }
    Spread(listed, head.messages, &reports->transfers);
    reports->slowest_s = std::max(reports->slowest_s, head.median_s);
  }
  return true;
}

double MedianOf(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace cox::collectives
