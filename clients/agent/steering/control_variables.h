// The MPI library's control variables: found by name, read and written as integers. MPICH's through
// MPI's tools interface (MPI_T), Open MPI's through its own functions. Use between StartVariables,
// in MPI_Init's wrapper, and EndVariables, before MPI_Finalize. One thread at a time.
#ifndef COX_AGENT_STEERING_CONTROL_VARIABLES_H_
#define COX_AGENT_STEERING_CONTROL_VARIABLES_H_

#include <mpi.h>

namespace cox::agent {

// False when the library lacks the functions.
bool StartVariables();
void EndVariables();

class Variable {
 public:
  // False when the library has no such variable or hides it.
  bool Find(const char* name);
  bool found() const { return found_; }

  // Reads an integer. False when it cannot be read.
  bool Read(int* value) const;
  bool Write(int value) const;

  // Whether a text variable is empty. True when it cannot be read.
  bool IsEmptyText() const;

#ifdef OPEN_MPI
  // Whether a switch is on.
  bool IsOn() const;

 private:
  const void* Storage() const;

  bool found_;
  int index_;
#else
 private:
  bool found_;
  int count_;
  MPI_T_cvar_handle handle_;
#endif
};

}  // namespace cox::agent

#endif  // COX_AGENT_STEERING_CONTROL_VARIABLES_H_
