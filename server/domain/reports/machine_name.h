// The name of a job's machine where nobody has said it. With libc only, because the agent uses it
// in every process of a job. Pure, any thread.
#ifndef COX_DOMAIN_REPORTS_MACHINE_NAME_H_
#define COX_DOMAIN_REPORTS_MACHINE_NAME_H_

#include <stddef.h>
#include <stdio.h>
#include <string.h>

namespace cox::domain {

// A machine's name has at most 63 characters.
inline constexpr int kMachineNameSize = 64;

// Lower case, and '-' for characters that a machine's name must not have.
inline char MachineCharacter(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
  const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  return plain ? c : '-';
}

// Writes to `machine` (`size` bytes) the name that a host's name gives: lower case, up to the first
// dot, '-' for characters other than [a-z0-9_-], without trailing digits and separators unless
// nothing would be left; "localhost" if it has no letter or digit.
inline void MachineFromHost(const char* host, char* machine, int size) {
  int length = 0;
  while (host[length] != '\0' && host[length] != '.' && length < size - 1) {
    machine[length] = MachineCharacter(host[length]);
    ++length;
  }
  int kept = length;
  while (kept > 0 && strchr("0123456789-_", machine[kept - 1]) != nullptr) --kept;
  // A name must start with a letter or a digit.
  int start = 0;
  while (start < kept && (machine[start] == '-' || machine[start] == '_')) ++start;
  memmove(machine, machine + start, static_cast<size_t>(length - start));
  length -= start;
  kept -= start;
  machine[kept > 0 ? kept : length] = '\0';
  if (machine[0] == '\0' || machine[0] == '-' || machine[0] == '_') {
    snprintf(machine, static_cast<size_t>(size), "localhost");
  }
}

// Writes to `machine` (`size` bytes) the name that a cluster's name gives: lower case, '-' for
// characters other than [a-z0-9._-], from the first letter or digit on; "" without one.
inline void MachineFromCluster(const char* cluster, char* machine, int size) {
  while (*cluster != '\0' && strchr("._-", MachineCharacter(*cluster)) != nullptr) ++cluster;
  int length = 0;
  for (; cluster[length] != '\0' && length < size - 1; ++length) {
    machine[length] = cluster[length] == '.' ? '.' : MachineCharacter(cluster[length]);
  }
  machine[length] = '\0';
}

}  // namespace cox::domain

#endif  // COX_DOMAIN_REPORTS_MACHINE_NAME_H_
