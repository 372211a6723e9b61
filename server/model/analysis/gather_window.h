// Gather and broadcast on a cluster whose switch buffers few packets, as formulas over one packet
// size. They give the window without loss, and lower bounds of both times. Pure functions, any
// thread.
//
// Source: A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on
// cluster, 1999: broadcast Eqs. (1), (2), gather Eqs. (3) to (8). Where the printed inequality
// contradicts its text, a comment at the formula says how it is read.
#ifndef COX_MODEL_ANALYSIS_GATHER_WINDOW_H_
#define COX_MODEL_ANALYSIS_GATHER_WINDOW_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "topology/window_rule.h"

namespace cox::model {

// The costs of one packet from process to process.
struct PacketPath {
  double send_s = 0;      // O_s: the sender's processor hands it over
  double transfer_s = 0;  // L: memory to memory
  double receive_s = 0;   // O_r: the receiver's kernel
  double notice_s = 0;    // U_r: the receiving process
  double copy_s = 0;      // to its destination buffer; 0: no copy
};

// beta = B / (A - D), Eq. (3): seconds until a buffer is full that packets enter at rate A and
// leave at rate D. +inf (never) if A <= D.
double SaturationSeconds(double arrivals_per_s, double departures_per_s, double buffer_packets);

// min(1, D / A + B / k), Eq. (4): the share of k packets that arrives. 1 if A <= D or k = 0.
double TransferRatio(double arrivals_per_s, double departures_per_s, double buffer_packets,
                     double packets);

// WindowFor() with checked arguments: INVALID_ARGUMENT for a stage out of range, or senders or
// packets_per_sender < 0.
absl::StatusOr<topology::GatherWindow> WindowOf(const topology::GatherStage& stage, int64_t senders,
                                                int64_t packets_per_sender);

// Eq. (8), T >= C_1 + (p - 1) i interval + C_2, with C_1 + C_2 = O_s + L + O_r + U_r + copy - g_r.
// The interval is g_r, or the receiver's time per packet if that is longer. (The paper prints D, a
// rate, for the interval.) 0 for no senders or no packets. Same errors.
absl::StatusOr<double> GatherLeastSeconds(const topology::GatherStage& stage,
                                          const PacketPath& path, int64_t senders,
                                          int64_t packets_per_sender);

// A broadcast of k packets down a binomial tree among p processors. rounds = ceil(log2 p).
//   Postal,  Eq. (1):  rounds (k g_s + Lambda - g_s),  Lambda = O_s + L + O_r + U_r
//   cluster, Eq. (2):  (k - 1) ((rounds - 1) g_s + O_r + U_r) + rounds Lambda
// Both are rounds Lambda for one packet, and 0 for p = 1 or no packet. copy_s is not part of them.
// INVALID_ARGUMENT for p < 1, k < 0 or a time that is negative or not finite.
absl::StatusOr<double> PostalBroadcastSeconds(const PacketPath& path, double send_gap_s,
                                              int64_t processors, int64_t packets);
absl::StatusOr<double> ClusterBroadcastSeconds(const PacketPath& path, double send_gap_s,
                                               int64_t processors, int64_t packets);

}  // namespace cox::model

#endif  // COX_MODEL_ANALYSIS_GATHER_WINDOW_H_
