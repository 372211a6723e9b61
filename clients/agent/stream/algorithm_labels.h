// Which algorithm a call ran: what the library's settings force or what its rules file says, in the
// library's own words, else "default". Settings are read once, when the job starts: the libraries
// too read them then.
//
// A call under MPICH's selection file is "selection_file" where the file chooses otherwise than the
// library for the parts that the call is split into, and where the file cannot be read.
//
// Where the catalogue has no row for a collective (gather, reduce, ...) the label is the number or
// name that the setting gives. Reductions are taken for commutative: the agent does not see
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
  int32_t number = 0;  // what the library was told for this call, see steering.h; 0: nothing
};

// Whether a call with that number was our own library's, and its label is one of that library.
bool RunsCoxcoll(int32_t number);

class AlgorithmLabels {
 public:
  virtual ~AlgorithmLabels() = default;
  virtual std::string Of(const Call& call) const = 0;
};

// `library`: "openmpi-4.1". `directory`: what a relative path of a rules file is relative to. A
// library that is not known gets "default" for everything.
std::unique_ptr<AlgorithmLabels> ReadAlgorithmLabels(const std::string& library,
                                                     const std::string& directory,
                                                     const Environment& environment);

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_ALGORITHM_LABELS_H_
