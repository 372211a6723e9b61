#include "agent/job/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "agent/job/log.h"

namespace cox::agent {
namespace {

constexpr char kPluginName[] = "libcoxagent-stream.so";

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

bool PathBesideAgent(const char* name, char* path, size_t size) {
  Dl_info self;
  if (dladdr(reinterpret_cast<void*>(&LoadPlugin), &self) == 0 || self.dli_fname == nullptr) {
    return false;
  }
  const char* slash = strrchr(self.dli_fname, '/');
  const int folder = slash != nullptr ? static_cast<int>(slash - self.dli_fname) + 1 : 0;
  const int length = snprintf(path, size, "%.*s%s", folder, self.dli_fname, name);
  return length > 0 && static_cast<size_t>(length) < size;
}

bool LoadPlugin(Plugin* plugin) {
  char path[4096];
  if (!PathBesideAgent(kPluginName, path, sizeof(path))) return false;
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    Log("off: %s", dlerror());
    return false;
  }
  if (Find(library, "cox_stream_open", &plugin->open) &&
      Find(library, "cox_stream_add", &plugin->add) &&
      Find(library, "cox_stream_add_sketch", &plugin->add_sketch) &&
      Find(library, "cox_stream_flush", &plugin->flush) &&
      Find(library, "cox_stream_close", &plugin->close) &&
      Find(library, "cox_stream_decide", &plugin->decide)) {
    return true;
  }
  Log("off: %s belongs to another version of the agent", path);
  return false;
}

}  // namespace cox::agent
