// The window of a gather: how many senders may send at once so that the stage before the receiver
// stays full and loses nothing. Arithmetic without checks; gather_window.h checks. Pure, any
// thread.
//
// Source: A. T. C. Tam, C.-L. Wang, Realistic communication model for parallel computing on
// cluster, 1999, Eqs. (5) to (7).
#ifndef COX_TOPOLOGY_WINDOW_RULE_H_
#define COX_TOPOLOGY_WINDOW_RULE_H_

#include <cstdint>

namespace cox::topology {

// The bottleneck before a receiver, for packets of one size.
struct GatherStage {
  double send_gap_s = 0;      // g_s > 0: least interval between packets that leave one sender
  double receive_gap_s = 0;   // g_r > 0: least interval between arrivals at one receiver
  double buffer_packets = 0;  // B_L >= 0
};

// Ga_l = ceil(g_s / g_r), Eq. (5): the fewest senders that keep the stage full.
double LeastSenders(const GatherStage& stage);

// Ga_u = floor(g_s / g_r + B / i), Eq. (6): the most senders of i >= 1 packets each that lose
// nothing. The paper prints the opposite sign; this solves Eq. (4) for a transfer ratio of at least
// 1.
double MostSenders(const GatherStage& stage, int64_t packets_per_sender);

// Which part of the rule gave the window.
enum class WindowReason {
  kNothingToSend,  // no senders or no packets
  kAllAtOnce,      // the buffer holds the excess of all senders together
  kFullWaves,      // the largest window between the bounds whose last wave keeps the stage full
  kNoLoss,         // no such window, or contradictory bounds: the largest without loss
  kMayLose,        // even one sender may lose packets
};

struct GatherWindow {
  int64_t window = 0;  // w: senders at a time; 0 if there is nothing to send
  double least_senders = 0;
  double most_senders = 0;
  WindowReason reason = WindowReason::kNothingToSend;
};

// w = max { x : Ga_l <= x <= Ga_u and the last wave of `senders` in waves of x is full or has at
// least Ga_l senders }, Eq. (7) completed: a remainder of 0 is a full wave, w never exceeds the
// senders, and an empty set gives Ga_u. O(1) divisions. The caller has checked the stage; senders
// and packets_per_sender are >= 0.
GatherWindow WindowFor(const GatherStage& stage, int64_t senders, int64_t packets_per_sender);

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_WINDOW_RULE_H_
