// How many of a gather's senders may send at once, so that the stage before the receiver stays full
// and loses nothing. Arithmetic alone, without checks: see gather_window.h. Pure, any thread.
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
// and where the set is empty w is Ga_u. A few divisions at any size. The stage is in range; senders
// and packets_per_sender are >= 0.
GatherWindow WindowFor(const GatherStage& stage, int64_t senders, int64_t packets_per_sender);

}  // namespace cox::topology

#endif  // COX_TOPOLOGY_WINDOW_RULE_H_
