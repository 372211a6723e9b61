// A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on cluster, 1999.
// Microseconds and bytes; the parameters are those of its Table 1 (tamwang_table1.csv).
#include <cmath>

#include "checks.h"
#include "csv.h"
#include "model/analysis/gather_window.h"

namespace cox::golden {
namespace {

using model::PacketPath;
using topology::GatherStage;

constexpr double kPacketBytes = 1500;

// A row of Table 1: const_us + per_byte_us m, in the regime of m.
double TableValue(const std::string& symbol, double bytes) {
  static const std::vector<Record> kTable = ReadTable("tamwang_table1.csv");
  for (const Record& record : kTable) {
    if (record.at("symbol") != symbol) continue;
    const std::string& regime = record.at("regime_m_bytes");
    if (regime == (bytes <= 40 ? "m>40" : "m<=40")) continue;
    return NumberOf(record, "const_us") + NumberOf(record, "per_byte_us") * bytes;
  }
  return std::nan("");
}

// The excess of the load p m / g_s over the switch's 90 bytes per us.
double Contention(double bytes, double processors) {
  return std::max(1.0, processors * bytes / (90 * TableValue("g_s", bytes)));
}

// The table's L(m, p), which is not linear.
double Transfer(double bytes, double processors) {
  return 1.556 * processors + 16.684 + 0.0826 * bytes * Contention(bytes, processors);
}

PacketPath Path(double bytes, double processors) {
  return {TableValue("O_s", bytes), Transfer(bytes, processors), TableValue("O_r", bytes),
          TableValue("U_r", bytes), 0};
}

GatherStage Stage() {
  return {TableValue("g_s", kPacketBytes), TableValue("g_r", kPacketBytes),
          TableValue("B_L", kPacketBytes)};
}

Quantity MostSenders(int64_t packets) { return {topology::MostSenders(Stage(), packets)}; }

Quantity Window(int64_t senders, int64_t packets) {
  return {static_cast<double>(model::WindowOf(Stage(), senders, packets)->window)};
}

// 15 senders of 700 packets, without the time before the first and after the last packet.
Quantity GatherMilliseconds() {
  const GatherStage stage = Stage();
  return {(*model::GatherLeastSeconds(stage, {}, 15, 700) + stage.receive_gap_s) / 1000};
}

constexpr PacketPath kNormalized = {0.4, 1.3, 0.6, 0.7, 0};
constexpr PacketPath kLatencyOnly = {0, 3, 0, 0, 0};

Quantity Postal(const PacketPath& path, double gap, int64_t packets) {
  return {*model::PostalBroadcastSeconds(path, gap, 16, packets)};
}
Quantity Cluster(const PacketPath& path, double gap, int64_t packets) {
  return {*model::ClusterBroadcastSeconds(path, gap, 16, packets)};
}

constexpr Computation kComputations[] = {
    {"T-3", [] { return Quantity{topology::LeastSenders(Stage())}; }},
    {"T-4.1", [] { return MostSenders(1); }},
    {"T-4.44", [] { return MostSenders(44); }},
    {"T-4.175", [] { return MostSenders(175); }},
    {"T-4.350", [] { return MostSenders(350); }},
    {"T-4.700", [] { return MostSenders(700); }},
    {"T-5b", [] { return Window(15, 700); }},
    {"T-5c", [] { return Window(15, 175); }},
    {"T-6", [] { return Quantity{model::TransferRatio(10000, 8000, 1935, 20000)}; }},
    {"T-7", [] { return Quantity{model::SaturationSeconds(10000, 8000, 1935)}; }},
    {"T-8", GatherMilliseconds},
    {"T-9a", [] { return Postal(kLatencyOnly, 1, 1); }},
    {"T-9b", [] { return Postal(kLatencyOnly, 1, 4); }},
    {"T-9c", [] { return Cluster(kNormalized, 1, 4); }},
    {"T-10a", [] { return Postal(Path(kPacketBytes, 16), TableValue("g_s", kPacketBytes), 100); }},
    {"T-10b", [] { return Cluster(Path(kPacketBytes, 16), TableValue("g_s", kPacketBytes), 100); }},
};

}  // namespace

absl::Span<const Computation> ClusterComputations() { return kComputations; }

}  // namespace cox::golden
