#include "agent/job/environment.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

namespace cox::agent {

const char* const* EnvironmentAtInit() {
  static const char* const* kept = nullptr;
  if (kept != nullptr || environ == nullptr) return kept;
  size_t count = 0;
  size_t bytes = 0;
  while (environ[count] != nullptr) bytes += strlen(environ[count++]) + 1;
  // The texts follow the pointers to them.
  char** const copy = static_cast<char**>(malloc((count + 1) * sizeof(char*) + bytes));
  if (copy == nullptr) return nullptr;
  char* text = reinterpret_cast<char*>(copy + count + 1);
  for (size_t i = 0; i < count; ++i) {
    const size_t size = strlen(environ[i]) + 1;
    copy[i] = static_cast<char*>(memcpy(text, environ[i], size));
    text += size;
  }
  copy[count] = nullptr;
  return kept = copy;
}

}  // namespace cox::agent
