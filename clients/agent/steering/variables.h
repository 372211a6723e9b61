// The MPI library's control variables, through MPI's tools interface (MPI_T): found by name, read
// and written as integers. Use between StartVariables, in MPI_Init's wrapper, and EndVariables,
// before MPI_Finalize (Open MPI crashes when the order is reversed). One thread at a time.
#ifndef COX_AGENT_STEERING_VARIABLES_H_
#define COX_AGENT_STEERING_VARIABLES_H_

#include <mpi.h>

namespace cox::agent {

// False when the library lacks the interface.
bool StartVariables();
void EndVariables();

class Variable {
 public:
  // False when the library has no such variable or hides it.
  bool Find(const char* name);
  bool found() const { return found_; }

  // Reads an integer, or a switch as 0 or 1. False when it cannot be read.
  bool Read(int* value) const;
  bool Write(int value) const;

  // Whether a text variable is empty. True when it cannot be read.
  bool IsEmptyText() const;

 private:
  bool found_;
  int count_;
  MPI_T_cvar_handle handle_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_VARIABLES_H_
