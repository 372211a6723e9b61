// The ports of a coxd that chose free ones, and what HTTP answers there.
#ifndef COX_TESTS_LOAD_PORTS_H_
#define COX_TESTS_LOAD_PORTS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "coxd_process.h"

namespace cox::load {

// The number after `word` in the daemon's log; waits for it. Ends the program after a minute.
int PortAfter(const CoxdProcess& coxd, const std::string& word);

// A socket that is connected to this port of 127.0.0.1; -1 with errno if nobody accepts.
int ConnectTo(int port);

// The whole answer of HTTP to GET of `path`; "" if there is none. For an empty path it sends half a
// request and hangs up.
std::string Get(int port, absl::string_view path);

}  // namespace cox::load

#endif  // COX_TESTS_LOAD_PORTS_H_
