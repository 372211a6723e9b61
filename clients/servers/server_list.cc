#include "servers/server_list.h"

#include <arpa/inet.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "servers/address.h"

namespace cox::servers {
namespace {

constexpr absl::string_view kSockets[] = {"unix:", "unix-abstract:"};
constexpr absl::string_view kDns = "dns:";

// `path` is what follows the scheme of a Unix socket, or all of `server`.
bool IsSocket(absl::string_view server, absl::string_view* path) {
  *path = server;
  return std::any_of(std::begin(kSockets), std::end(kSockets), [path](absl::string_view scheme) {
    return absl::ConsumePrefix(path, scheme);
  });
}

absl::Status CheckOne(absl::string_view server, absl::string_view text) {
  if (server.empty() && !text.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the list of addresses '", text, "' has an empty entry; separate addresses by one comma"));
  }
  if (IsAddress(server.data(), server.size())) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the address '", server, "' must be HOST:PORT with a port within 1..65535, or unix:PATH"));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ParseServers(absl::string_view text) {
  std::vector<std::string> servers;
  for (const absl::string_view server : absl::StrSplit(text, ',')) {
    if (absl::Status checked = CheckOne(server, text); !checked.ok()) return checked;
    if (std::find(servers.begin(), servers.end(), server) != servers.end()) {
      return absl::InvalidArgumentError(absl::StrCat("the list of addresses '", text, "' names '",
                                                     server, "' twice; name each daemon once"));
    }
    if (servers.size() == kMostServers) {
      return absl::InvalidArgumentError(absl::StrCat("the list of addresses '", text,
                                                     "' is too long; name at most ", kMostServers));
    }
    servers.emplace_back(server);
  }
  return servers;
}

std::vector<std::string> Shuffled(std::vector<std::string> servers, uint64_t seed) {
  std::shuffle(servers.begin(), servers.end(), std::mt19937_64(seed));
  return servers;
}

uint64_t RandomSeed() {
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof(seed), GRND_NONBLOCK) == sizeof(seed)) return seed;
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_nsec) << 32 ^ static_cast<uint64_t>(getpid());
}

bool IsLocal(absl::string_view server) {
  absl::string_view path;
  if (IsSocket(server, &path)) return true;
  if (absl::StartsWith(server, "localhost:") || absl::StartsWith(server, "[::1]:")) return true;
  // A name may begin like an address: "127.example.org".
  in_addr address = {};
  const std::string host(server.substr(0, server.rfind(':')));
  return absl::StartsWith(host, "127.") && inet_pton(AF_INET, host.c_str(), &address) == 1;
}

bool IsDnsName(absl::string_view server) { return absl::StartsWith(server, kDns); }

}  // namespace cox::servers
