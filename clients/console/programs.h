// Where the other programs and files of this installation are.
#ifndef COX_CONSOLE_PROGRAMS_H_
#define COX_CONSOLE_PROGRAMS_H_

#include <string>
#include <vector>

namespace cox::console {

// The folder of this program's file, without a slash at the end.
std::string OwnFolder();

// The path of an executable file in one of PATH's folders, or as it is where it has a slash; empty
// where there is none.
std::string FindInPath(const std::string& name);

// The same, looked for beside this program first.
std::string FindProgram(const std::string& name);

// The agent for an MPI ("openmpi", "mpich"), where a build or an installation puts it; empty where
// it is not.
std::string FindAgent(const std::string& mpi);

// The first of these that FindInPath finds; empty where none is there.
std::string FirstInPath(const std::vector<std::string>& names);

}  // namespace cox::console

#endif  // COX_CONSOLE_PROGRAMS_H_
