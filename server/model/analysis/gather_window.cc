#include "model/analysis/gather_window.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "domain/errors.h"

namespace cox::model {
namespace {

absl::Status CheckAmount(absl::string_view field, double value, bool may_be_zero) {
  if (std::isfinite(value) && (value > 0 || (may_be_zero && value == 0))) return absl::OkStatus();
  return domain::InvalidField(
      field, absl::StrCat(value, " is not a finite number ", may_be_zero ? ">= 0" : "> 0"));
}

absl::Status CheckCount(absl::string_view field, int64_t value, int64_t least) {
  if (value >= least) return absl::OkStatus();
  return domain::InvalidField(field, absl::StrCat(value, " is less than ", least));
}

absl::Status Check(const topology::GatherStage& stage, int64_t senders,
                   int64_t packets_per_sender) {
  absl::Status status = CheckAmount("stage.send_gap_s", stage.send_gap_s, false);
  if (status.ok()) status = CheckAmount("stage.receive_gap_s", stage.receive_gap_s, false);
  if (status.ok()) status = CheckAmount("stage.buffer_packets", stage.buffer_packets, true);
  if (status.ok()) status = CheckCount("senders", senders, 0);
  if (status.ok()) status = CheckCount("packets_per_sender", packets_per_sender, 0);
  return status;
}

absl::Status Check(const PacketPath& path) {
  const std::pair<absl::string_view, double> times[] = {{"path.send_s", path.send_s},
                                                        {"path.transfer_s", path.transfer_s},
                                                        {"path.receive_s", path.receive_s},
                                                        {"path.notice_s", path.notice_s},
                                                        {"path.copy_s", path.copy_s}};
  for (const auto& [field, time_s] : times) {
    absl::Status status = CheckAmount(field, time_s, true);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status Check(const PacketPath& path, double send_gap_s, int64_t processors, int64_t packets) {
  absl::Status status = Check(path);
  if (status.ok()) status = CheckAmount("send_gap_s", send_gap_s, true);
  if (status.ok()) status = CheckCount("processors", processors, 1);
  if (status.ok()) status = CheckCount("packets", packets, 0);
  return status;
}

double RoundsOf(int64_t processors) {
  double rounds = 0;
  for (int64_t reached = 1; reached < processors && rounds < 62; reached *= 2) ++rounds;
  return rounds;
}

double PathSeconds(const PacketPath& path) {
  return path.send_s + path.transfer_s + path.receive_s + path.notice_s;
}

}  // namespace

double SaturationSeconds(double arrivals_per_s, double departures_per_s, double buffer_packets) {
  if (arrivals_per_s <= departures_per_s) return std::numeric_limits<double>::infinity();
  return buffer_packets / (arrivals_per_s - departures_per_s);
}

double TransferRatio(double arrivals_per_s, double departures_per_s, double buffer_packets,
                     double packets) {
  if (arrivals_per_s <= departures_per_s || packets <= 0) return 1;
  return std::min(1.0, departures_per_s / arrivals_per_s + buffer_packets / packets);
}

absl::StatusOr<topology::GatherWindow> WindowOf(const topology::GatherStage& stage, int64_t senders,
                                                int64_t packets_per_sender) {
  absl::Status status = Check(stage, senders, packets_per_sender);
  if (!status.ok()) return status;
  return topology::WindowFor(stage, senders, packets_per_sender);
}

absl::StatusOr<double> GatherLeastSeconds(const topology::GatherStage& stage,
                                          const PacketPath& path, int64_t senders,
                                          int64_t packets_per_sender) {
  absl::Status status = Check(stage, senders, packets_per_sender);
  if (status.ok()) status = Check(path);
  if (!status.ok()) return status;
  if (senders == 0 || packets_per_sender == 0) return 0;
  const double receiver_s = path.receive_s + path.notice_s + path.copy_s;
  const double interval_s = std::max(stage.receive_gap_s, receiver_s);
  const double packets = static_cast<double>(senders) * static_cast<double>(packets_per_sender);
  return PathSeconds(path) + path.copy_s - stage.receive_gap_s + packets * interval_s;
}

absl::StatusOr<double> PostalBroadcastSeconds(const PacketPath& path, double send_gap_s,
                                              int64_t processors, int64_t packets) {
  absl::Status status = Check(path, send_gap_s, processors, packets);
  if (!status.ok()) return status;
  if (packets == 0) return 0;
  const auto k = static_cast<double>(packets);
  return RoundsOf(processors) * ((k - 1) * send_gap_s + PathSeconds(path));
}

absl::StatusOr<double> ClusterBroadcastSeconds(const PacketPath& path, double send_gap_s,
                                               int64_t processors, int64_t packets) {
  absl::Status status = Check(path, send_gap_s, processors, packets);
  if (!status.ok()) return status;
  const double rounds = RoundsOf(processors);
  if (packets == 0 || rounds == 0) return 0;
  const auto k = static_cast<double>(packets);
  return (k - 1) * ((rounds - 1) * send_gap_s + path.receive_s + path.notice_s) +
         rounds * PathSeconds(path);
}

}  // namespace cox::model
