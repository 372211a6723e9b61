// The addresses at which a client looks for coxd: one, or several that are separated by commas,
// such as "head1:7077,head2:7077,unix:/run/coxd.sock". "dns:coxd.site:7077" stands for all
// addresses of one name. Pure but for RandomSeed(); any thread.
#ifndef COX_SERVERS_SERVER_LIST_H_
#define COX_SERVERS_SERVER_LIST_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace cox::servers {

inline constexpr size_t kMostServers = 16;

// The addresses in `text`, in their order. Each is HOST:PORT with a port within 1..65535 (gRPC
// would take a larger one modulo 65536), dns:HOST:PORT, or unix:PATH. INVALID_ARGUMENT says which
// address is wrong: of another form, empty, or there twice; or that there are more than
// kMostServers.
absl::StatusOr<std::vector<std::string>> ParseServers(absl::string_view text);

// The same addresses in an order that `seed` decides. With an order of its own, each client goes to
// another daemon first.
std::vector<std::string> Shuffled(std::vector<std::string> servers, uint64_t seed);

// Another number at each call and in each process.
uint64_t RandomSeed();

// Whether nothing between this process and the daemon could read what is sent: a Unix socket, or
// this host's own address.
bool IsLocal(absl::string_view server);

// Whether `server` is dns:HOST:PORT: the name of several daemons.
bool IsDnsName(absl::string_view server);

}  // namespace cox::servers

#endif  // COX_SERVERS_SERVER_LIST_H_
