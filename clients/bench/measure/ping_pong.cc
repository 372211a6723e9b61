#include "bench/measure/ping_pong.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "bench/measure/sampling.h"
#include "bench/pacer.h"
#include "console/units.h"

namespace cox::bench {
namespace {

// A sample of short messages spans several round trips, so that it is long beside a clock's tick.
constexpr double kPingPongSampleSeconds = 50e-6;
constexpr int kMostTrips = 100;
constexpr int kPingPongTag = 1;

// Pairs that are active at once.
struct Group {
  std::string level;
  std::vector<std::pair<int, int>> pairs;  // world ranks
};

Group NodeGroup(const Job& job, int64_t count) {
  Group group{"node", {}};
  const std::vector<int>& ranks = job.nodes[0];
  for (int64_t i = 0; i < count; ++i) group.pairs.emplace_back(ranks[2 * i], ranks[2 * i + 1]);
  return group;
}

Group NetworkGroup(const Job& job, const std::vector<int>& other, int64_t count) {
  Group group{"network", {}};
  for (int64_t i = 0; i < count; ++i) group.pairs.emplace_back(job.nodes[0][i], other[i]);
  return group;
}

absl::StatusOr<std::vector<Group>> PlanGroups(const Job& job, const std::vector<int64_t>& wanted) {
  const int64_t node_most = static_cast<int64_t>(job.nodes[0].size()) / 2;
  int64_t network_most = 0;
  std::vector<int> other;
  if (job.nodes.size() > 1) {
    other = *std::max_element(job.nodes.begin() + 1, job.nodes.end(),
                              [](const auto& a, const auto& b) { return a.size() < b.size(); });
    network_most = static_cast<int64_t>(std::min(job.nodes[0].size(), other.size()));
  }
  const int64_t most = std::max(node_most, network_most);
  if (most == 0) {
    return absl::InvalidArgumentError(
        "p2p needs a pair of ranks: start cox-bench with at least two");
  }
  std::vector<int64_t> counts = wanted;
  for (int64_t count = 1; wanted.empty() && count <= most; count *= 2) counts.push_back(count);
  if (counts.back() > most) {
    return absl::InvalidArgumentError(
        absl::StrCat("--pairs: ", counts.back(), " pairs at once, but this job has ranks for ",
                     most, " (ranks on a node: ", job.ppn, ", nodes: ", job.nodes.size(), ")"));
  }
  std::vector<Group> groups;
  for (const int64_t count : counts) {
    if (count <= node_most) groups.push_back(NodeGroup(job, count));
    if (count <= network_most) groups.push_back(NetworkGroup(job, other, count));
  }
  return groups;
}

// This rank's half of a pair.
struct Endpoint {
  int peer = MPI_PROC_NULL;
  bool serves = false;  // sends first
  bool yielding = false;
  std::vector<unsigned char> out;
  std::vector<unsigned char> in;
};

unsigned char Payload(int sender, size_t index) {
  return static_cast<unsigned char>(static_cast<size_t>(sender) * 31 + index * 7 + 1);
}

void Send(Endpoint& end, int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(end.out.data(), bytes, MPI_BYTE, end.peer, kPingPongTag, MPI_COMM_WORLD, &request);
  Await(&request, end.yielding);
}

void Receive(Endpoint& end, int bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(end.in.data(), bytes, MPI_BYTE, end.peer, kPingPongTag, MPI_COMM_WORLD, &request);
  Await(&request, end.yielding);
}

void RoundTrips(Endpoint& end, int bytes, int trips) {
  for (int i = 0; i < trips; ++i) {
    if (end.serves) Send(end, bytes);
    Receive(end, bytes);
    if (!end.serves) Send(end, bytes);
  }
}

// One-way seconds, all pairs of the communicator starting together.
double TimeTrips(MPI_Comm active, Endpoint& end, int bytes, int trips) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  MPI_Ibarrier(active, &barrier);
  Await(&barrier, end.yielding);
  const double start_s = MPI_Wtime();
  RoundTrips(end, bytes, trips);
  return (MPI_Wtime() - start_s) / (2 * trips);
}

// Warms the path up, and looks at every byte that arrived. True if all ranks found all good.
bool Verify(MPI_Comm active, Endpoint& end, int bytes) {
  std::fill(end.in.begin(), end.in.end(), static_cast<unsigned char>(0));
  RoundTrips(end, bytes, 2);
  int good = 1;
  for (int i = 0; i < bytes; ++i) good &= end.in[i] == Payload(end.peer, i) ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, active);
  return good == 1;
}

int ChooseTrips(MPI_Comm active, Endpoint& end, int bytes) {
  constexpr int kTrialTrips = 4;
  const double one_way_s = TimeTrips(active, end, bytes, kTrialTrips);
  int trips = static_cast<int>(std::clamp(kPingPongSampleSeconds / (2 * std::max(one_way_s, 1e-9)),
                                          1.0, double{kMostTrips}));
  MPI_Bcast(&trips, 1, MPI_INT, 0, active);
  return trips;
}

// The samples of one size, on world rank 0, which is rank 0 of `active`.
absl::Status MeasureSize(MPI_Comm active, Endpoint& end, const Group& group, int64_t block_bytes,
                         Pacer* pacer, Output* output) {
  const int bytes = static_cast<int>(block_bytes);
  if (!Verify(active, end, bytes)) {
    return absl::DataLossError(absl::StrCat("a message of ", console::FormatBytes(block_bytes),
                                            " at level ", group.level, " arrived garbled"));
  }
  const int trips = ChooseTrips(active, end, bytes);
  const std::vector<double> times_s =
      TakeSamples(active, pacer, [&] { return TimeTrips(active, end, bytes, trips); });
  if (pacer != nullptr) {
    pacer->FinishCell(Summarise(times_s));
    output->Write(PairRow{group.level, static_cast<int64_t>(group.pairs.size()), block_bytes},
                  times_s);
  }
  return absl::OkStatus();
}

absl::Status CheckMemory(const Job& job, const std::vector<int64_t>& sizes) {
  const int64_t need_bytes = 2 * sizes.back() * job.ppn;
  if (need_bytes <= job.available_bytes / 2) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--sizes: messages of ", console::FormatBytes(sizes.back()), " need ", need_bytes >> 20,
      " MiB on a node, more than half of the ", job.available_bytes >> 20, " free MiB"));
}

Endpoint MakeEndpoint(const Job& job, const Group& group, int64_t most_bytes) {
  Endpoint end;
  for (const auto& [first, second] : group.pairs) {
    if (job.rank != first && job.rank != second) continue;
    end.serves = job.rank == first;
    end.peer = end.serves ? second : first;
    end.out.resize(most_bytes);
    end.in.resize(most_bytes);
    for (size_t i = 0; i < end.out.size(); ++i) end.out[i] = Payload(job.rank, i);
  }
  const size_t active_on_node = group.pairs.size() * (group.level == "node" ? 2 : 1);
  end.yielding = static_cast<int>(active_on_node) > job.processors;
  return end;
}

}  // namespace

absl::Status MeasurePingPongs(const Job& job, const Options& options, double budget_s,
                              Output* output, Progress* progress) {
  if (absl::Status status = CheckMemory(job, options.sizes); !status.ok()) return status;
  const absl::StatusOr<std::vector<Group>> groups = PlanGroups(job, options.pairs);
  if (!groups.ok()) return groups.status();

  const bool leads = job.rank == 0;
  std::vector<int64_t> sizes = options.sizes;
  std::shuffle(sizes.begin(), sizes.end(), std::mt19937_64(options.seed));
  Pacer pacer(MPI_Wtime(), budget_s, static_cast<int>(groups->size() * sizes.size()));
  absl::Status result;
  for (const Group& group : *groups) {
    Endpoint end = MakeEndpoint(job, group, options.sizes.back());
    const bool is_active = end.peer != MPI_PROC_NULL;
    MPI_Comm active = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, is_active ? 0 : MPI_UNDEFINED, job.rank, &active);
    for (const int64_t block_bytes : sizes) {
      if (!is_active) break;
      if (leads) {
        pacer.StartCell(MPI_Wtime());
        progress->Show(pacer, MPI_Wtime(),
                       absl::StrFormat("%s, pairs: %d, %s", group.level, group.pairs.size(),
                                       console::FormatBytes(block_bytes)));
      }
      const absl::Status status =
          MeasureSize(active, end, group, block_bytes, leads ? &pacer : nullptr, output);
      if (!status.ok()) result = status;
    }
    if (is_active) MPI_Comm_free(&active);
    IdleBarrier(MPI_COMM_WORLD);
  }
  if (leads) {
    progress->Clear();
    if (pacer.unsettled() > 0) {
      absl::FPrintF(
          stderr,
          "cox-bench: %d of %d medians have an error above 5 %%: use a larger --budget-s or a "
          "quieter machine\n",
          pacer.unsettled(), pacer.cells());
    }
  }
  return result;
}

}  // namespace cox::bench
