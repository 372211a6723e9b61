// Persistent patterns in groups of 1 rank up to all. Every iteration delivers the sent bytes, and
// all ranks run the same algorithm. If prices are below all times, every candidate is tried. A
// changed pattern changes the algorithm.
//
//   patterns CHEAP_PROFILE DEAR_PROFILE SEED
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "cox/coll.h"
#include "job.h"

namespace cox::test {
namespace {

constexpr int64_t kMostBytes = 6000;

// Who sends what to whom. All ranks know it, so receivers can check what arrives.
struct Message {
  int source;
  int destination;
  int64_t bytes;
};
using Messages = std::vector<Message>;

Messages Dense(int ranks, int64_t bytes) {
  Messages messages;
  for (int source = 0; source < ranks; ++source) {
    for (int to = 0; to < ranks; ++to) messages.push_back({source, to, bytes});
  }
  return messages;
}

Messages Sparse(int ranks, int64_t bytes) {
  Messages messages;
  for (int source = 0; source < ranks; ++source) {
    messages.push_back({source, (source + 7) % ranks, bytes});
  }
  return messages;
}

// Some ranks send nothing, some send to themselves, some twice to one rank.
Messages Drawn(Random& random, int ranks) {
  Messages messages;
  for (int source = 0; source < ranks; ++source) {
    for (int i = Draw(random, 0, 4); i > 0; --i) {
      messages.push_back({source, Draw(random, 0, ranks - 1), Draw(random, 0, 300)});
    }
  }
  return messages;
}

class Run {
 public:
  Run(MPI_Comm comm, const char* profile) : comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
    if (cox_pattern_create(comm, profile, &pattern_) != MPI_SUCCESS) Mismatch(cox_error());
  }
  ~Run() {
    if (cox_pattern_free(&pattern_) != MPI_SUCCESS || pattern_ != nullptr) Mismatch("not freed");
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  void Start(const Messages& messages) {
    ++iteration_;
    sent_.clear();
    memory_.assign(messages.size() * kMostBytes, 0);
    for (size_t i = 0; i < messages.size(); ++i) {
      if (messages[i].source != rank_) continue;
      char* data = &memory_[i * kMostBytes];
      FillIn(messages[i], i, data);
      sent_.push_back({messages[i].destination, messages[i].bytes, data});
    }
    const int count = static_cast<int>(sent_.size());
    if (cox_pattern_start(pattern_, sent_.data(), count, &request_) != MPI_SUCCESS) {
      Mismatch(cox_error());
    }
  }

  // Returns the algorithm.
  std::string Complete(const Messages& messages) {
    cox_message* received = nullptr;
    int count = 0;
    cox_cost cost = {-1, -1};
    if (cox_wait_many(&request_, &received, &count, &cost) != MPI_SUCCESS) Mismatch(cox_error());
    Check(messages, received, count);
    cox_free(received);
    return AgreedAlgorithm();
  }

  std::string Iterate(const Messages& messages) {
    Start(messages);
    return Complete(messages);
  }

  int changes() const {
    int changes = -1;
    cox_pattern_state(pattern_, nullptr, &changes, nullptr, nullptr);
    return changes;
  }

  cox_pattern pattern() const { return pattern_; }

 private:
  void FillIn(const Message& message, size_t place, char* data) const {
    for (int64_t i = 0; i < message.bytes; ++i) {
      data[i] = static_cast<char>(Mix(static_cast<uint64_t>(iteration_), place, i) >> 13);
    }
  }

  void Check(const Messages& messages, const cox_message* received, int count) const {
    std::vector<char> expected(kMostBytes);
    int heard = 0;
    for (size_t i = 0; i < messages.size(); ++i) {  // ordered by source
      if (messages[i].destination != rank_) continue;
      FillIn(messages[i], i, expected.data());
      const bool is_right =
          heard < count && received[heard].rank == messages[i].source &&
          received[heard].bytes == messages[i].bytes &&
          (messages[i].bytes == 0 || std::memcmp(received[heard].data, expected.data(),
                                                 static_cast<size_t>(messages[i].bytes)) == 0);
      if (!is_right) Mismatch("iteration " + std::to_string(iteration_) + ": not what was sent");
      ++heard;
    }
    if (heard != count) Mismatch("more came than was sent");
  }

  // Fails unless it is equal on all ranks.
  std::string AgreedAlgorithm() const {
    struct {
      std::array<char, 16> algorithm{};
      int changes = 0;
      double predicted_s = 0, measured_s = 0;
    } own, first;
    const char* algorithm = nullptr;
    if (cox_pattern_state(pattern_, &algorithm, &own.changes, &own.predicted_s, &own.measured_s) !=
        MPI_SUCCESS) {
      Mismatch(cox_error());
    }
    std::snprintf(own.algorithm.data(), own.algorithm.size(), "%s", algorithm);
    first = own;
    MPI_Request request;
    MPI_Ibcast(&first, sizeof(first), MPI_BYTE, 0, comm_, &request);
    WaitFor(&request);
    if (own.algorithm != first.algorithm || own.changes != first.changes ||
        own.predicted_s != first.predicted_s || own.measured_s != first.measured_s) {
      Mismatch(std::string("rank 0 runs ") + first.algorithm.data() + ", this one " + algorithm);
    }
    return algorithm;
  }

  MPI_Comm comm_;
  int rank_ = 0, ranks_ = 0;
  int iteration_ = 0;
  cox_pattern pattern_ = nullptr;
  cox_request request_ = COX_REQUEST_NULL;
  std::vector<cox_message> sent_;
  std::vector<char> memory_;
};

// Times exceed all prices, so each candidate is tried before the best one stays.
void TriesAll(MPI_Comm comm, int ranks, const char* cheap, Random& random) {
  Run run(comm, cheap);
  std::set<std::string> tried;
  const Messages messages = Drawn(random, ranks);
  for (int i = 0; i < 20; ++i) tried.insert(run.Iterate(messages));
  if (ranks > 1 && tried.size() != 4) Mismatch("not all candidates were tried");
  if (ranks > 1 && run.changes() < 3) Mismatch("changes were not counted");
}

// Prices exceed all times: only a changed pattern causes a change.
void FollowsThePattern(MPI_Comm comm, int ranks, const char* dear) {
  Run run(comm, dear);
  const Messages dense = Dense(ranks, 8);
  const Messages sparse = Sparse(ranks, 4000);
  std::string algorithm;
  for (int i = 0; i < 12; ++i) algorithm = run.Iterate(dense);
  if (run.changes() != 0) Mismatch("it changed though nothing did");
  if (algorithm == "direct") Mismatch("every start-up is dear, and it takes the most");
  for (int i = 0; i < 20; ++i) algorithm = run.Iterate(sparse);
  if (algorithm != "direct") Mismatch("every byte is dear, and " + algorithm + " has detours");
  if (run.changes() != 1) Mismatch("it changed once");
}

// Two patterns at once, completed in any order, without stated costs.
void OverlapsWithoutAProfile(MPI_Comm comm, int ranks, Random& random) {
  Run a(comm, nullptr), b(comm, nullptr);
  for (int i = 0; i < 8; ++i) {
    const Messages of_a = Drawn(random, ranks), of_b = Drawn(random, ranks);
    a.Start(of_a);
    b.Start(of_b);
    const bool a_first = Draw(random, 0, 1) == 0;
    (a_first ? a : b).Complete(a_first ? of_a : of_b);
    (a_first ? b : a).Complete(a_first ? of_b : of_a);
  }
}

void RefusesWhatIsWrong(MPI_Comm comm, int ranks) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  cox_pattern none = nullptr;
  const char* path = rank == 0 ? "/nowhere/at/all" : nullptr;  // only rank 0's path counts
  if (cox_pattern_create(comm, path, &none) != MPI_ERR_ARG) Mismatch("a profile out of nowhere");
  if (std::strstr(cox_error(), "profile") == nullptr) Mismatch("an error without words");
  if (cox_pattern_create(comm, nullptr, nullptr) != MPI_ERR_ARG) Mismatch("no place for it");
  if (ranks == 1) return;
  Run run(comm, nullptr);
  const Messages messages = Dense(ranks, 1);
  MPI_Request together;
  if (rank != 0) {
    MPI_Ibarrier(comm, &together);
    WaitFor(&together);
  }
  run.Start(messages);
  if (rank == 0) {
    cox_request second = COX_REQUEST_NULL;
    if (cox_pattern_start(run.pattern(), nullptr, 0, &second) != MPI_ERR_REQUEST) {
      Mismatch("two iterations at once");
    }
    MPI_Ibarrier(comm, &together);
    WaitFor(&together);
  }
  run.Complete(messages);
}

}  // namespace
}  // namespace cox::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc != 4) return 2;
  const char *cheap = argv[1], *dear = argv[2];
  const uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  cox::test::ForEachGroup([&](MPI_Comm comm, int ranks) {
    cox::test::Random random(cox::test::Mix(seed, static_cast<uint64_t>(ranks)));
    cox::test::TriesAll(comm, ranks, cheap, random);
    if (ranks == 17) cox::test::FollowsThePattern(comm, ranks, dear);
    cox::test::OverlapsWithoutAProfile(comm, ranks, random);
    cox::test::RefusesWhatIsWrong(comm, ranks);
  });
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("patterns right, seed %llu\n", (unsigned long long)seed);
  MPI_Finalize();
  return 0;
}
