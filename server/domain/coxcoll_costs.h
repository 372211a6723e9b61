// The machine's costs as libcoxcoll knows them, and the lines of its profile that state them.
// Standard library only, because libcoxcoll links it. Pure, any thread.
#ifndef COX_DOMAIN_COXCOLL_COSTS_H_
#define COX_DOMAIN_COXCOLL_COSTS_H_

#include <string>
#include <string_view>
#include <vector>

namespace cox::domain {

// A message costs alpha + bytes x beta; the cpu parts say how much of that occupies a processor.
// When a rank has several messages out at once, each but the first costs the gap instead of alpha,
// because their latencies overlap. The defaults apply to fields that the file does not state; they
// describe no real machine.
struct CostProfile {
  double alpha_s = 1e-6;
  double beta_s_per_byte = 1e-9;
  double gap_s = 0;  // 0: unknown; alpha is used
  double alpha_cpu_s = 0;
  double beta_cpu_s_per_byte = 0;
  // The stage in front of a receiver that many ranks send to, for full packets
  // (topology/window_rule.h); 0: unknown.
  double packet_bytes = 0;
  double buffer_packets = 0;
  double send_gap_s = 0;
  double receive_gap_s = 0;

  // Seconds that each message but the first costs besides its bytes.
  double further_s() const { return gap_s > 0 ? gap_s : alpha_s; }
};

// Reads one line `NAME VALUE`, where NAME is a field above. Ignores names that it does not know,
// which may come from later versions. Returns "" or what is wrong: the value must be a finite
// number that is not negative.
std::string ReadCostLine(const std::vector<std::string>& words, CostProfile* profile);

// Reads a whole text, its lines in any order. Returns "" or what is wrong with the first refused
// line, with its number; then *profile may have changed. Fields that the text does not state keep
// their values.
std::string ParseCostProfile(std::string_view text, CostProfile* profile);

}  // namespace cox::domain

#endif  // COX_DOMAIN_COXCOLL_COSTS_H_
