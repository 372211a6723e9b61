// Finds the MPI library of a command from its launcher and from the libraries that its programs are
// linked with. Reads files. Any thread.
#ifndef COX_CLI_RUN_MPI_LIBRARY_H_
#define COX_CLI_RUN_MPI_LIBRARY_H_

#include <string>
#include <vector>

#include "cli/run/job_shape.h"

namespace cox::cli {

// The shared libraries that an ELF program names as needed; empty for any other file.
std::vector<std::string> NeededLibraries(const std::string& path);

// "openmpi-4.1" or "mpich-4.0"; empty where the command does not show it: a script, a program that
// loads MPI later. A launcher counts before the program, whose library may differ only by mistake.
std::string LibraryOfCommand(const std::vector<std::string>& command, const LauncherWords& words);

// A warning if the launcher (command[0]) starts jobs of another MPI than `library`, whose settings
// such a job ignores. Empty if they may belong together.
std::string WarnOfOtherMpi(const std::string& library, const std::vector<std::string>& command,
                           const LauncherWords& words);

// "openmpi" or "mpich", as the agent's file is called; empty for a library without an agent.
std::string MpiOfLibrary(const std::string& library);

}  // namespace cox::cli

#endif  // COX_CLI_RUN_MPI_LIBRARY_H_
