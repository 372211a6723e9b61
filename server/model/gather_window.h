// Many senders, one receiver, and a switch that can hold so many packets: how many may send at once
// so that the stage before the receiver stays full and loses nothing, and how long gathering and
// broadcasting take at least. All as formulas over one packet size. Pure functions, any thread.
//
// Source: A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on
// cluster, 1999: broadcast Eqs. (1), (2), gather Eqs. (3) to (8). Where a printed inequality cannot
// be meant, the reading is written beside the formula.
#ifndef COX_MODEL_GATHER_WINDOW_H_
#define COX_MODEL_GATHER_WINDOW_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace cox::model {

// The bottleneck before a receiver, for packets of one size.
struct GatherStage {
  double send_gap_s = 0;      // g_s > 0: least interval between packets that leave one sender
  double receive_gap_s = 0;   // g_r > 0: least interval between arrivals at one receiver
  double buffer_packets = 0;  // B_L >= 0
};

// What one packet passes on its way from process to process.
struct PacketPath {
  double send_s = 0;      // O_s: the sender's processor hands it over
  double transfer_s = 0;  // L: memory to memory
  double receive_s = 0;   // O_r: the receiver's kernel
  double notice_s = 0;    // U_r: the receiving process
  double copy_s = 0;      // into the place where it is wanted; 0: none
};

// beta = B / (A - D), Eq. (3): when a buffer that packets enter at A and leave at D per second is
// full. +inf where A <= D: never.
double SaturationSeconds(double arrivals_per_s, double departures_per_s, double buffer_packets);

// min(1, D / A + B / k), Eq. (4): which part of k packets gets through. 1 where A <= D or k = 0.
double TransferRatio(double arrivals_per_s, double departures_per_s, double buffer_packets,
                     double packets);

// Ga_l = ceil(g_s / g_r), Eq. (5): so many senders keep the stage full.
double LeastSenders(const GatherStage& stage);

// Ga_u = floor(g_s / g_r + B / i), Eq. (6): at most so many senders of i >= 1 packets each lose
// nothing (printed with the sign turned; solved here for a transfer ratio of at least 1).
double MostSenders(const GatherStage& stage, int64_t packets_per_sender);

// Which part of the rule gave the window.
enum class WindowReason {
  kNothingToSend,  // no senders or no packets
  kAllAtOnce,      // the buffer holds what all senders together are ahead
  kFullWaves,      // the largest x between the bounds whose last wave is full or keeps the stage so
  kNoLoss,         // no such x, or the bounds contradict each other: the most that lose nothing
  kMayLose,        // not even one sender is safe
};

struct GatherWindow {
  int64_t window = 0;  // w: senders at a time; 0 where there is nothing to send
  double least_senders = 0;
  double most_senders = 0;
  WindowReason reason = WindowReason::kNothingToSend;
};

// w = max { x : Ga_l <= x <= Ga_u and the last wave of `senders` in waves of x is full or has at
// least Ga_l }, Eq. (7) completed: a remainder of 0 is a full wave, w never exceeds the senders,
// and where the set is empty w is Ga_u. A few divisions at any size.
//
// INVALID_ARGUMENT for a stage out of range, or senders or packets_per_sender < 0.
absl::StatusOr<GatherWindow> WindowOf(const GatherStage& stage, int64_t senders,
                                      int64_t packets_per_sender);

// Eq. (8), T >= C_1 + (p - 1) i interval + C_2, with C_1 + C_2 = O_s + L + O_r + U_r + copy - g_r
// and the interval g_r, or what the receiver spends on a packet where that is longer. (Printed with
// D for the interval; D is a rate.) 0 for no senders or no packets. Same errors.
absl::StatusOr<double> GatherLeastSeconds(const GatherStage& stage, const PacketPath& path,
                                          int64_t senders, int64_t packets_per_sender);

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

#endif  // COX_MODEL_GATHER_WINDOW_H_
