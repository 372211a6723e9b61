// Streams that behave like the agents of many nodes: each has its own connection and job, and sends
// its next batch after the answer to the last one. One thread; answers come on gRPC's threads.
#ifndef COX_TESTS_LOAD_AGENTS_H_
#define COX_TESTS_LOAD_AGENTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace cox::load {

struct Answers {
  std::vector<double> latencies_s;  // from sending a batch to its answer
  int64_t refused_count = 0;        // with an error in the answer
  double elapsed_s = 0;
};

class Agent;

class Agents {
 public:
  // Opens `count` streams to `server` (a gRPC address), each with its connection, and waits until
  // each has one answer. Batches have `rows` rows.
  Agents(const std::string& server, const std::string& job, int count, int rows);
  // Ends the streams.
  ~Agents();
  Agents(const Agents&) = delete;
  Agents& operator=(const Agents&) = delete;

  // Each agent sends as fast as its answers come, for this long.
  Answers SendAll(double seconds);
  // Each agent sends a batch each second, at a time of its own within the second. An agent that
  // waits for an answer skips its turn.
  Answers SendEachSecond(double seconds);

  // Streams that broke or could not be opened.
  int broken_count() const;

 private:
  Answers Collect(double elapsed_s);

  std::vector<std::unique_ptr<Agent>> agents_;
};

}  // namespace cox::load

#endif  // COX_TESTS_LOAD_AGENTS_H_
