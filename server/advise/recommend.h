// Which algorithm to use: candidates priced, corrected, ranked, and a switch away from the
// library's default advised only when it is worth it. Pure; any thread.
#ifndef COX_ADVISE_RECOMMEND_H_
#define COX_ADVISE_RECOMMEND_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "advise/machine_view.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::advise {

struct Question {
  std::string library;     // "openmpi-4.1"
  std::string collective;  // "alltoall"; may be one that the catalogue does not know
  int64_t nodes = 0;       // 0: as many as ranks / ppn needs
  int64_t ppn = 1;
  int64_t ranks = 1;
  int64_t block_bytes = 0;
  int64_t type_bytes = 4;
  strategy::Placement placement = strategy::Placement::kBlock;
  // What the caller promises. Algorithms that are wrong for non-commutative operations are weighed
  // without that promise only where `candidates` names them, and the reason says what they are.
  library::Assumptions assume;
  // Native names, and "default", to choose among; empty: all that the library has.
  std::vector<std::string> candidates;
};

struct Candidate {
  std::string algorithm;      // the library's own name, or "default"
  absl::string_view library;  // whose, where it is not the question's; static
  int native_id = -1;         // -1: the library takes no number for it
  std::string strategy;       // the catalogue's name, "" without known structure
  absl::string_view code;     // the library's own name of what runs, "" where not known; static
  double predicted_time_s = 0;
  double low_s = 0;  // 90 % interval
  double high_s = 0;
  double own_sigma = 0;  // of the logarithm of its time: what other algorithms do not share
  double support = 0;    // learn::Estimate::support
};

struct Answer {
  Candidate chosen;
  double default_time_s = 0;          // 0: not known
  std::string model;                  // the model that spoke, "" when none
  std::string reason;                 // one line: why this one
  absl::string_view stock_algorithm;  // what the library runs by itself, "" where not known; static
  // All candidates that could be priced, by predicted_time_s (if asked for). That is the median:
  // where one of them is much surer than another, the choice, by the mean, may stand behind it.
  std::vector<Candidate> ranked;
};

// INVALID_ARGUMENT with the field for a bad question: ranks < 1, ranks > nodes * ppn, negative or
// too large bytes, an empty library, collective or candidate name.
absl::Status Validate(const Question& question);

// Also, with field "collective": one that neither the catalogue nor any observation of this machine
// and library knows.
absl::Status Validate(const MachineView& machine, const Question& question);

// The question is valid. An empty profile and no data answer "default" with the reason "no data".
Answer Recommend(const MachineView& machine, const Question& question, bool with_ranked);

}  // namespace cox::advise

#endif  // COX_ADVISE_RECOMMEND_H_
