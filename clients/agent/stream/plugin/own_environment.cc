// The plugin's threads run beside the program, which may set variables at any time: then the C
// library frees the array that getenv() walks through. These hidden functions replace those of the
// C library within the plugin only, gRPC included. The libraries that gRPC loads, such as c-ares,
// still call those of the C library when they look up a name.
#include "agent/stream/plugin/own_environment.h"

#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <atomic>

namespace cox::agent {
namespace {

std::atomic<const char* const*> environment = nullptr;

}  // namespace

void UseEnvironment(const char* const* copy) { environment.store(copy, std::memory_order_release); }

}  // namespace cox::agent

extern "C" __attribute__((visibility("hidden"))) char* getenv(const char* name) noexcept {
  const char* const* entry = cox::agent::environment.load(std::memory_order_acquire);
  if (entry == nullptr) entry = environ;
  const size_t length = strlen(name);
  for (; entry != nullptr && *entry != nullptr; ++entry) {
    if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=') {
      return const_cast<char*>(*entry + length + 1);
    }
  }
  return nullptr;
}

// gRPC's choice.
extern "C" __attribute__((visibility("hidden"))) char* secure_getenv(const char* name) noexcept {
  return getauxval(AT_SECURE) != 0 ? nullptr : getenv(name);
}
