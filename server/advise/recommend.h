// Recommends an algorithm: prices, corrects and ranks the candidates, and advises a switch from the
// library's default only if it is worth it. Pure; any thread.
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
#include "advise/placement/switch_tree.h"
#include "library/algorithm.h"
#include "strategy/scenario.h"

namespace cox::advise {

struct Question {
  std::string library;     // "openmpi-4.1"
  std::string collective;  // "alltoall"; also one that only observations know
  int64_t nodes = 0;       // 0: as many as ranks / ppn needs
  int64_t ppn = 1;
  int64_t ranks = 1;
  int64_t block_bytes = 0;
  int64_t type_bytes = 4;
  strategy::Placement placement = strategy::Placement::kBlock;
  // The job's nodes, as many as ranks and ppn need; their links are priced. Null: not known.
  const NodesInUse* nodes_in_use = nullptr;
  // The caller's promises. Without the promise of commutative operations, algorithms that need it
  // are weighed only if `candidates` names them, and the reason warns of them.
  library::Assumptions assume;
  // The native names, and "default", to choose among; empty: all of the library.
  std::vector<std::string> candidates;
};

// What a predicted time rests on. Nothing: there is no time.
struct Evidence {
  bool price = false;  // a model's price alone
  bool benchmark = false;
  bool jobs = false;
  bool canary = false;      // jobs that ran the library's default beside it, at random
  bool one_source = false;  // one reporter alone timed the calls next to this one
  friend bool operator==(const Evidence&, const Evidence&) = default;
};

struct Candidate {
  std::string algorithm;      // the library's own name, or "default"
  absl::string_view library;  // where it is not the question's; static
  int native_id = -1;         // -1: the library takes no number for it
  std::string strategy;       // the catalogue's name, "" without known structure
  absl::string_view code;     // the library's name of the code that runs, "": not known; static
  double predicted_time_s = 0;
  double low_s = 0;  // 90 % interval
  double high_s = 0;
  double own_sigma = 0;       // learn::Estimate::own_sigma
  double support = 0;         // learn::Estimate::support
  bool is_withdrawn = false;  // canaries showed it to be slower than the default
};

struct Answer {
  Candidate chosen;
  Evidence evidence{};                  // what chosen.predicted_time_s rests on
  double default_time_s = 0;            // 0: not known
  std::string model;                    // the selected model, "" where none can be priced
  std::string reason;                   // one line: why this one
  std::vector<std::string> caveats;     // CaveatsOf() in caveats.h, and why a table differs
  absl::string_view default_algorithm;  // what the default runs, "" where not known; static
  bool leaves_links_out = false;        // no time has links: Weighing::Run()
  // If asked for: all candidates with an estimate, by predicted_time_s. This is the median; the
  // choice compares means, so a surer candidate further down may be the chosen one.
  std::vector<Candidate> ranked;
};

// INVALID_ARGUMENT with the field for a bad question: ranks < 1, ranks > nodes * ppn, bytes out of
// range, an empty library, collective or candidate name.
absl::Status Validate(const Question& question);

// The same, and INVALID_ARGUMENT (field "library", "collective" or "candidates[i]") for a name that
// neither the tables nor any observation of this machine know. A library that observations alone
// know may have any collective and candidate: without observations the answer is "default", "no
// data".
absl::Status Validate(const MachineView& machine, const Question& question);

// The question is valid. Without a profile and observations the answer is "default", with the
// reason "no data".
Answer Recommend(const MachineView& machine, const Question& question, bool with_ranked);

}  // namespace cox::advise

#endif  // COX_ADVISE_RECOMMEND_H_
