// The machine's costs as the library knows them, and the text that states them. Pure, any thread.
#ifndef COX_COLLECTIVES_CHOICE_COST_PROFILE_H_
#define COX_COLLECTIVES_CHOICE_COST_PROFILE_H_

#include <string>
#include <string_view>

namespace cox::collectives {

// What a message costs: alpha + bytes x beta, and the part of it that takes a processor. Of several
// that a rank has out at once each but the first costs the gap instead of alpha: their ways
// overlap. The defaults hold where nothing is stated; they are of no machine.
struct CostProfile {
  double alpha_s = 1e-6;
  double beta_s_per_byte = 1e-9;
  double gap_s = 0;  // 0: not known, and as much as alpha
  double alpha_cpu_s = 0;
  double beta_cpu_s_per_byte = 0;
  // The stage before a receiver that many send to, for full packets (topology/window_rule.h); 0:
  // not known.
  double packet_bytes = 0;
  double buffer_packets = 0;
  double send_gap_s = 0;
  double receive_gap_s = 0;

  // What each message but the first costs besides its bytes.
  double further_s() const { return gap_s > 0 ? gap_s : alpha_s; }
};

// Reads lines `name value`, the names as above, in any order; blank lines and what follows a # are
// nothing, names that are not known are left to later versions. Returns "", or what is wrong with
// which line: a value that is no number, negative or not finite. `*profile` keeps what is not
// stated.
std::string ParseCostProfile(std::string_view text, CostProfile* profile);

}  // namespace cox::collectives

#endif  // COX_COLLECTIVES_CHOICE_COST_PROFILE_H_
