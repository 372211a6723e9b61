// Hostile clients of all kinds at once: what a daemon must bear without harm to the others.
// Threads of its own; blocks its caller.
#ifndef COX_TESTS_LOAD_FLOOD_H_
#define COX_TESTS_LOAD_FLOOD_H_

#include <cstdint>
#include <map>
#include <string>

namespace cox::load {

struct FloodPlan {
  int askers = 200;     // each asks its next question at once, a quarter of them for 1,000 answers
  int batches = 16;     // clients that send the largest batch again and again
  int rows = 5'000;     // of such a batch
  int idle = 2'000;     // connections that never call
  int streams = 1'200;  // streams without end; a tenth of them sends and reads no answer
  int trickles = 100;   // connections that send a byte at a time, half of them to HTTP
  double seconds = 10;
};

// What became of the calls, streams or connections of one kind.
struct Fate {
  int64_t served = 0;
  int64_t refused = 0;      // RESOURCE_EXHAUSTED, or closed by the daemon
  int64_t unreachable = 0;  // UNAVAILABLE or DEADLINE_EXCEEDED
  int64_t wrong = 0;        // any other status
  std::string problem;      // of one wrong status
};

// By kind: "asker", "batch", "idle", "stream", "trickle". `grpc_port`, `http_port`: of 127.0.0.1.
std::map<std::string, Fate> Flood(const FloodPlan& plan, int grpc_port, int http_port);

}  // namespace cox::load

#endif  // COX_TESTS_LOAD_FLOOD_H_
