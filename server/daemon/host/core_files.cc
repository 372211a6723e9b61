#include "daemon/host/core_files.h"

#include <fstream>

namespace cox::daemon {
namespace {

// Only the headers of the program and its libraries, which name their versions: core(5).
constexpr const char* kHeadersOnly = "0x10";

}  // namespace

absl::Status KeepMemoryOutOfCoreFiles() {
  std::ofstream filter("/proc/self/coredump_filter");
  filter << kHeadersOnly << std::flush;
  return filter ? absl::OkStatus()
                : absl::UnavailableError("/proc/self/coredump_filter: cannot be written");
}

}  // namespace cox::daemon
