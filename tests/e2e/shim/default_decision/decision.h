// Asks Open MPI's coll/tuned itself, within this process, which function it would run: its fixed
// decision is called, with recorders instead of the functions that it chooses from.
#ifndef COX_TESTS_E2E_SHIM_DEFAULT_DECISION_DECISION_H_
#define COX_TESTS_E2E_SHIM_DEFAULT_DECISION_DECISION_H_

#include <mpi.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fake_communicator.h"
#include "recorders.h"

namespace cox::default_decision {

struct Question {
  std::string_view collective;
  int ranks = 2;
  int count = 0;  // elements of the call: design's block
  MPI_Datatype type = MPI_BYTE;
  bool commutative = true;
  bool at_root = true;  // whether the rank that asks is the root
};

class Decision {
 public:
  // `component`: the path of mca_coll_tuned.so. Empty error: all is there.
  Decision(const std::string& component, FakeCommunicator& communicator);
  ~Decision();
  Decision(const Decision&) = delete;
  Decision& operator=(const Decision&) = delete;

  const std::string& error() const { return error_; }
  // The collectives that can be asked about.
  static std::vector<std::string_view> Collectives();

  Function Ask(const Question& question);

 private:
  FakeCommunicator& communicator_;
  MPI_Op not_commutative_ = MPI_OP_NULL;
  std::map<std::string_view, void*> functions_;
  std::vector<int> counts_;  // of every rank
  std::vector<char> module_;
  std::string error_;
};

}  // namespace cox::default_decision

#endif  // COX_TESTS_E2E_SHIM_DEFAULT_DECISION_DECISION_H_
