// Compares libcoxcoll's own algorithms with the strategies of the catalogue, in groups of 1 rank up
// to all: what each rank sends to whom, in which order and step, must equal the strategy's
// enumeration. Topologies and trees are the strategies' own code and need no such test.
//
//   schedule
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cox/coll.h"
#include "domain/collective.h"
#include "job.h"
#include "strategy/catalogue.h"

namespace cox::test {
namespace {

constexpr int kBlockBytes = 24;

// The library's calls of MPI on this rank; this program's MPI_Isend and others below record them.
class Watch {
 public:
  struct Send {
    int peer;
    int bytes;
    size_t sends_out;  // other sends that were not complete
    size_t steps_out;  // receives and sends of earlier steps that were not complete
  };

  void Begin() {
    sends_.clear();
    is_on_ = true;
  }
  std::vector<Send> End() {
    is_on_ = false;
    return std::move(sends_);
  }

  void OnSend(int peer, int bytes, MPI_Request request) {
    if (!is_on_) return;
    // In lockstep, a step's receive is posted before its send.
    sends_.push_back({peer, bytes, out_[kSend].size(), Out() - std::min<size_t>(Out(), 1)});
    out_[kSend].insert(request);
  }
  void OnReceive(MPI_Request request) {
    if (is_on_) out_[kReceive].insert(request);
  }
  void OnDone(MPI_Request request) {
    for (auto& out : out_) {
      // MPICH has one request for all small sends that complete at once.
      const auto found = out.find(request);
      if (found == out.end()) continue;
      out.erase(found);
      return;
    }
  }

 private:
  enum { kSend, kReceive, kKinds };

  size_t Out() const { return out_[kSend].size() + out_[kReceive].size(); }

  bool is_on_ = false;
  std::vector<Send> sends_;
  std::multiset<MPI_Request> out_[kKinds];
};
Watch watch;

// Per step, how much a rank of the strategy sends to whom.
using Step = std::vector<std::pair<int, int>>;
std::vector<Step> StepsOf(const std::string& text, int ranks, int rank) {
  const auto strategy = strategy::ParseStrategy("alltoall/" + text);
  if (!strategy.ok()) Mismatch(strategy.status().ToString());
  const strategy::Scenario scenario{.collective = domain::Collective::kAlltoall,
                                    .ranks = ranks,
                                    .ppn = 1,
                                    .block_bytes = kBlockBytes,
                                    .type_bytes = 1};
  std::map<std::pair<int64_t, int64_t>, Step> steps;
  strategy->algorithm->enumerate(scenario, strategy->knobs, [&](const strategy::Message& message) {
    if (message.source != rank) return;
    steps[{message.phase, message.repetition}].emplace_back(static_cast<int>(message.destination),
                                                            static_cast<int>(message.bytes));
  });
  std::vector<Step> in_order;
  for (auto& [place, step] : steps) in_order.push_back(std::move(step));
  return in_order;
}

struct Algorithm {
  const char* name;
  const char* strategy;
  bool of_alltoallv;
  bool in_lockstep;     // a step begins when the one before is complete
  size_t most_at_once;  // sends
};
constexpr size_t kAll = 1000;
constexpr Algorithm kAlgorithms[] = {
    {"direct", "linear", true, false, kAll},
    {"windowed", "windowed", true, false, kAll},
    {"windowed?window=1", "windowed?window=1", true, false, 1},
    {"windowed?window=3", "windowed?window=3", true, false, 3},
    {"windowed?window=16", "windowed?window=16", true, false, 16},
    {"pairwise", "pairwise", true, true, 1},
    {"bruck", "bruck", false, true, 1},
};

std::vector<Watch::Send> Run(const Algorithm& algorithm, bool by_counts, MPI_Comm comm, int ranks) {
  const auto count = static_cast<size_t>(ranks);
  std::vector<char> sent(count * kBlockBytes, 'x'), received(sent.size());
  std::vector<int> counts(count, kBlockBytes), places(count);
  for (size_t i = 0; i < count; ++i) places[i] = static_cast<int>(i) * kBlockBytes;
  cox_request request = COX_REQUEST_NULL;
  watch.Begin();
  const int code = by_counts ? cox_ialltoallv(sent.data(), counts.data(), places.data(), MPI_BYTE,
                                              received.data(), counts.data(), places.data(),
                                              MPI_BYTE, comm, algorithm.name, &request)
                             : cox_ialltoall(sent.data(), kBlockBytes, MPI_BYTE, received.data(),
                                             kBlockBytes, MPI_BYTE, comm, algorithm.name, &request);
  if (code != MPI_SUCCESS) Mismatch(cox_error());
  for (int done = 0; done == 0; sched_yield()) {
    if (cox_test(&request, &done, nullptr) != MPI_SUCCESS) Mismatch(cox_error());
  }
  std::vector<Watch::Send> sends = watch.End();
  if (received != sent) Mismatch("other bytes");
  return sends;
}

void Compare(const Algorithm& algorithm, const std::vector<Watch::Send>& sends, int ranks,
             int rank) {
  const std::string where = std::string(algorithm.name) + " p=" + std::to_string(ranks) + ": ";
  size_t next = 0;
  for (const Step& step : StepsOf(algorithm.strategy, ranks, rank)) {
    if (step.size() > algorithm.most_at_once) Mismatch(where + "a step of more than the window");
    for (const auto& [peer, bytes] : step) {
      if (next == sends.size()) Mismatch(where + "less is sent than the strategy has");
      const Watch::Send& send = sends[next++];
      if (send.peer != peer || send.bytes != bytes) {
        Mismatch(where + "send " + std::to_string(next) + " is of " + std::to_string(send.bytes) +
                 " to " + std::to_string(send.peer) + ", not of " + std::to_string(bytes) + " to " +
                 std::to_string(peer));
      }
      if (send.sends_out >= algorithm.most_at_once) Mismatch(where + "more than the window");
      if (algorithm.in_lockstep && send.steps_out > 0) Mismatch(where + "two steps at once");
    }
  }
  if (next != sends.size()) Mismatch(where + "more is sent than the strategy has");
}

void RunGroup(MPI_Comm comm, int ranks) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  for (const Algorithm& algorithm : kAlgorithms) {
    Compare(algorithm, Run(algorithm, false, comm, ranks), ranks, rank);
    if (algorithm.of_alltoallv) Compare(algorithm, Run(algorithm, true, comm, ranks), ranks, rank);
  }
}

}  // namespace
}  // namespace cox::test

using cox::test::watch;

// Replace MPI's functions, which stay available under their other name.
extern "C" {
#pragma GCC visibility push(default)

int MPI_Isend(const void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const int code = PMPI_Isend(data, count, type, peer, tag, comm, request);
  watch.OnSend(peer, count, *request);
  return code;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request* request) {
  const int code = PMPI_Irecv(data, count, type, peer, tag, comm, request);
  watch.OnReceive(*request);
  return code;
}

int MPI_Testsome(int count, MPI_Request requests[], int* done, int indices[],
                 MPI_Status statuses[]) {
  const std::vector<MPI_Request> before(requests, requests + count);
  const int code = PMPI_Testsome(count, requests, done, indices, statuses);
  for (int i = 0; i < *done; ++i) watch.OnDone(before[static_cast<size_t>(indices[i])]);
  return code;
}

#pragma GCC visibility pop
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  cox::test::ForEachGroup(cox::test::RunGroup);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::puts("schedules right");
  MPI_Finalize();
  return 0;
}
