// Writes the parameters by which libcoxcoll (clients/collectives) chooses, as the file that
// COX_COLL_PROFILE names. Pure, any thread.
#ifndef COX_CLI_FILES_COMPACT_PROFILE_H_
#define COX_CLI_FILES_COMPACT_PROFILE_H_

#include <cox/v1/machine.pb.h>

#include <string>

#include "absl/status/statusor.h"

namespace cox::cli {

// Lines `name value` in SI units, comments behind #:
// - alpha_s, beta_s_per_byte, alpha_cpu_s, beta_cpu_s_per_byte: of model hockney, between nodes, or
//   inside one if nothing else is known. If values have pieces, start-ups are those of the
//   shortest messages, and times per byte are those of the longest messages.
// - gap_s: of model loggp on the same level: 2 o, or g where that is larger.
// - packet_bytes, buffer_packets, send_gap_s, receive_gap_s: of model cluster for full packets,
//   where all four are known.
// Without hockney's alpha and beta, both follow from model cluster: the trip of a short packet
// between two ranks, and the larger gap between full packets for each byte.
//
// FAILED_PRECONDITION where neither model gives alpha and beta.
absl::StatusOr<std::string> CompactProfile(const v1::Profile& profile);

}  // namespace cox::cli

#endif  // COX_CLI_FILES_COMPACT_PROFILE_H_
