// Names the algorithm that a call ran, in the library's own words: forced by the library's settings
// or chosen by its rules file, else "default". Settings are read once, when the job starts, as the
// libraries do.
//
// A call under MPICH's selection file is "selection_file" when the file changes the parts that the
// call is split into, or cannot be read.
//
// For a collective without a row in the catalogue (gather, reduce, ...) the label is the number or
// name in the setting. Reductions are taken for commutative, because the agent does not record
// operations. Immutable, any thread.
#ifndef COX_AGENT_STREAM_ALGORITHM_LABELS_H_
#define COX_AGENT_STREAM_ALGORITHM_LABELS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "agent/stream/mca_parameters.h"
#include "domain/collective.h"

namespace cox::agent {

struct Call {
  int32_t collective;  // cox::domain::Collective
  int64_t ranks;       // of the communicator
  int64_t ppn;
  int64_t block_bytes;
  int64_t type_bytes;
  int32_t number = 0;  // the selected algorithm, see steering.h; 0: none
};

// Whether libcoxcoll ran a call with that number; its label is then one of libcoxcoll's.
bool RunsCoxcoll(int32_t number);

class AlgorithmLabels {
 public:
  virtual ~AlgorithmLabels() = default;
  virtual std::string Of(const Call& call) const = 0;
};

// `library`: "openmpi-4.1"; an unknown library gets "default" for every call. `directory`: the base
// of a relative path of a rules file.
std::unique_ptr<AlgorithmLabels> ReadAlgorithmLabels(const std::string& library,
                                                     const std::string& directory,
                                                     const Environment& environment);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_ALGORITHM_LABELS_H_
