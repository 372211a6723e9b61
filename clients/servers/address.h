// Whether a text is an address at which coxd may listen. With libc only, because the agent uses it
// in every process of a job. Pure, any thread.
#ifndef COX_SERVERS_ADDRESS_H_
#define COX_SERVERS_ADDRESS_H_

#include <string.h>

#include <cstddef>

namespace cox::servers {

// Whether the `length` characters at `text` are HOST:PORT with a port within 1..65535 (gRPC would
// take a larger one modulo 65536), dns:HOST:PORT, unix:PATH or unix-abstract:NAME.
inline bool IsAddress(const char* text, size_t length) {
  if (length == 0) return false;
  const auto starts_with = [&](const char* word) {
    return strlen(word) < length && strncmp(text, word, strlen(word)) == 0;
  };
  if (starts_with("unix:") || starts_with("unix-abstract:")) return true;
  if (starts_with("dns:")) {
    text += strlen("dns:");
    length -= strlen("dns:");
  }
  const auto* const colon = static_cast<const char*>(memrchr(text, ':', length));
  if (colon == nullptr || colon == text || memchr(text, ' ', length) != nullptr ||
      memchr(text, '/', length) != nullptr) {
    return false;
  }
  constexpr int kMostPort = 65535;
  int port = 0;
  for (const char* digit = colon + 1; digit < text + length && port <= kMostPort; ++digit) {
    if (*digit < '0' || *digit > '9') return false;
    port = port * 10 + (*digit - '0');
  }
  return port >= 1 && port <= kMostPort;
}

}  // namespace cox::servers

#endif  // COX_SERVERS_ADDRESS_H_
