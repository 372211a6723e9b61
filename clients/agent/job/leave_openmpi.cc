// Leaves a program of Open MPI. MPICH's handles are ints and Open MPI's are pointers, so the
// wrappers of an agent for MPICH cut Open MPI's handles in half, also if the agent is off. Before
// main() no harm is done yet: the program starts again without the agent.
//
// The other way round is harmless: an int passes a wrapper that takes a pointer.
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/job/library.h"
#include "agent/job/log.h"
#include "agent/job/settings.h"

namespace cox::agent {
namespace {

constexpr char kPreload[] = "LD_PRELOAD";
constexpr char kSeparators[] = ": ";

// Whether an entry of LD_PRELOAD is the library at `path`: also its bare name, which the loader
// searches for.
bool IsLibrary(const char* entry, const char* path) {
  const char* const slash = strrchr(path, '/');
  const bool is_bare = strchr(entry, '/') == nullptr && slash != nullptr;
  return strcmp(entry, is_bare ? slash + 1 : path) == 0;
}

// Leaves in `list` the libraries of LD_PRELOAD but `path`. False: it is not among them, or a name
// is too long.
bool TakeOut(const char* path, char* list, size_t size) {
  const char* const preload = getenv(kPreload);
  if (preload == nullptr || strlen(preload) >= size) return false;
  list[0] = '\0';
  bool is_found = false;
  for (const char* at = preload; *at != '\0';) {
    const size_t length = strcspn(at, kSeparators);
    char name[PATH_MAX];
    if (length >= sizeof(name)) return false;
    snprintf(name, sizeof(name), "%.*s", static_cast<int>(length), at);
    const bool is_agent = IsLibrary(name, path);
    is_found |= is_agent;
    if (length > 0 && !is_agent) {
      if (list[0] != '\0') strcat(list, ":");
      strcat(list, name);
    }
    at += length;
    at += strspn(at, kSeparators);
  }
  return is_found;
}

// glibc gives constructors the arguments of main().
__attribute__((constructor)) void LeaveOpenMpi(int /*count*/, char** arguments) {
  if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world") == nullptr) return;
  Dl_info agent;
  char list[4 * PATH_MAX];
  char program[PATH_MAX];
  if (dladdr(reinterpret_cast<void*>(&LeaveOpenMpi), &agent) == 0 ||
      !TakeOut(agent.dli_fname, list, sizeof(list))) {
    return;
  }
  // Not "/proc/self/exe": that would be its name in lists of processes.
  const ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
  if (length <= 0) return;
  program[length] = '\0';
  SetLog(ReadSettings().log);
  Log("off: this agent is built for %s, and the program runs Open MPI", LibraryLabel());
  if (list[0] == '\0') {
    unsetenv(kPreload);
  } else {
    setenv(kPreload, list, 1);
  }
  execve(program, arguments, environ);
}

}  // namespace
}  // namespace cox::agent
