// Stands for Open MPI's algorithm functions in this process: notes that one is called, and runs
// nothing. The executable must export its symbols, so that the library's calls meet it first.
#ifndef COX_TESTS_E2E_SHIM_DEFAULT_DECISION_RECORDERS_H_
#define COX_TESTS_E2E_SHIM_DEFAULT_DECISION_RECORDERS_H_

#include <string_view>

namespace cox::default_decision {

// A function of the library: which collective it is for, and the number that rules give it.
struct Function {
  std::string_view collective;
  int native_id;
};

// The only function called since this was asked last; native_id 0: none, -1: more than one.
Function TakeCalled();

}  // namespace cox::default_decision

#endif  // COX_TESTS_E2E_SHIM_DEFAULT_DECISION_RECORDERS_H_
