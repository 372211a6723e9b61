// A communicator with any number of ranks, on which no call may send: good
// enough for a decision, which only asks how many ranks there are. Needs MPI to be initialised.
#ifndef COX_TESTS_E2E_SHIM_DEFAULT_DECISION_FAKE_COMMUNICATOR_H_
#define COX_TESTS_E2E_SHIM_DEFAULT_DECISION_FAKE_COMMUNICATOR_H_

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace cox::default_decision {

class FakeCommunicator {
 public:
  // Null where this library's communicators are not built as expected: the number of ranks is found
  // by asking the library about copies, not from its headers.
  static std::unique_ptr<FakeCommunicator> Create();

  // Makes it a communicator of `ranks` >= 1; this process is its rank 0.
  MPI_Comm WithRanks(int ranks);

 private:
  FakeCommunicator() = default;
  bool FindCount();
  bool PointAtGroup(MPI_Group original);

  // Aligned as any object of the library.
  std::vector<std::max_align_t> communicator_;
  std::vector<std::max_align_t> group_;
  int* count_ = nullptr;  // of ranks, within group_
};

}  // namespace cox::default_decision

#endif  // COX_TESTS_E2E_SHIM_DEFAULT_DECISION_FAKE_COMMUNICATOR_H_
