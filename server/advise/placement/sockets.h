// The sockets of a node, as the level below it: a line "Sockets=2 Taper=4 HopTime=1e-7" of a
// network's text. Pure; any thread.
#ifndef COX_ADVISE_PLACEMENT_SOCKETS_H_
#define COX_ADVISE_PLACEMENT_SOCKETS_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::advise {

inline constexpr int kMaxSockets = 64;

// Ranks fill the sockets of a node in blocks: the first ranks of the node are at the first socket.
struct Sockets {
  int count = 1;  // 1: not known
  // Ranks of a socket for each link to the node's other sockets, in links of a rank in its node.
  double taper = 1;
  double hop_time_s = 0;  // that a message to another socket takes longer

  // The socket of a node's `slot`-th rank of `ppn`, from 0.
  int Of(int64_t slot, int64_t ppn) const { return static_cast<int>(slot * count / ppn); }
  // "" if not known.
  std::string Text() const;
};

// Takes the line out of `text` and leaves an empty one. INVALID_ARGUMENT (field "switches") for a
// second such line, an unknown key, a count that is not 1 to kMaxSockets, a Taper that is not above
// 0, up to 1e6, and a HopTime that is not 0 to 1.
absl::StatusOr<Sockets> TakeSockets(std::string* text);

}  // namespace cox::advise

#endif  // COX_ADVISE_PLACEMENT_SOCKETS_H_
