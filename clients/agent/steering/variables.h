// The library's control variables through MPI's tools interface (MPI_T): found by name, read and
// written as integers. Between StartVariables, in MPI_Init's wrapper, and EndVariables, before
// MPI_Finalize (Open MPI ends badly the other way round). One thread at a time.
#ifndef COX_AGENT_STEERING_VARIABLES_H_
#define COX_AGENT_STEERING_VARIABLES_H_

#include <mpi.h>

namespace cox::agent {

// False where the library lacks the interface.
bool StartVariables();
void EndVariables();

class Variable {
 public:
  // False where the library has no such variable, or does not show it.
  bool Find(const char* name);
  bool found() const { return found_; }

  // An integer, or a switch as 0 or 1. False where it cannot be read.
  bool Read(int* value) const;
  bool Write(int value) const;

  // Of a text: whether it is empty. True where it cannot be read.
  bool IsEmptyText() const;

 private:
  bool found_;
  int count_;
  MPI_T_cvar_handle handle_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_VARIABLES_H_
