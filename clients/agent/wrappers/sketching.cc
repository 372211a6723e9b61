#include "agent/wrappers/sketching.h"

#include "agent/job/library.h"

namespace cox::agent {

constinit thread_local MessagePhase message_phase = {};

Neighbours::Neighbours(MPI_Comm comm) {
  const Topologies& topologies = library.topologies;
  int kind = MPI_UNDEFINED;
  if (!topologies.known || topologies.topo_test(comm, &kind) != MPI_SUCCESS) return;
  if (kind == MPI_CART) OfGrid(comm);
  if (kind == MPI_GRAPH) OfGraph(comm);
  if (kind == MPI_DIST_GRAPH) OfDistributedGraph(comm);
}

// Two neighbours in each dimension, the lower one first.
void Neighbours::OfGrid(MPI_Comm comm) {
  int dimensions = 0;
  if (library.topologies.cartdim_get(comm, &dimensions) != MPI_SUCCESS || 2 * dimensions > kMost) {
    return;
  }
  int* pair = rank_;
  for (int i = 0; i < dimensions; ++i, pair += 2) {
    if (library.topologies.cart_shift(comm, i, 1, &pair[0], &pair[1]) != MPI_SUCCESS) return;
  }
  count_ = 2 * dimensions;
}

void Neighbours::OfGraph(MPI_Comm comm) {
  const int rank = CommRank(comm);
  int count = 0;
  if (library.topologies.graph_neighbors_count(comm, rank, &count) == MPI_SUCCESS &&
      count <= kMost &&
      library.topologies.graph_neighbors(comm, rank, count, rank_) == MPI_SUCCESS) {
    count_ = count;
  }
}

void Neighbours::OfDistributedGraph(MPI_Comm comm) {
  int in_count = 0;
  int out_count = 0;
  int weighted = 0;
  if (library.topologies.dist_graph_neighbors_count(comm, &in_count, &out_count, &weighted) !=
          MPI_SUCCESS ||
      in_count > kMost || out_count > kMost) {
    return;
  }
  int sources[kMost];
  int in_weights[kMost];
  int out_weights[kMost];
  if (library.topologies.dist_graph_neighbors(comm, in_count, sources, in_weights, out_count, rank_,
                                              out_weights) == MPI_SUCCESS) {
    count_ = out_count;
  }
}

bool MessagePhase::Open(MPI_Comm comm, int to) {
  if (ActiveSketches() == nullptr) return false;
  const int ranks = CommSize(comm);
  if (ranks < 1) return false;  // between two groups
  shape_.Begin(CommRank(comm), ranks);
  is_open_ = true;
  comm_ = comm;
  first_ = to;
  last_ = -1;
  messages_ = 0;
  start_ns_ = NowNs();
  return true;
}

void MessagePhase::End(PhaseTime time) {
  is_open_ = false;
  first_ = last_ = -1;
  Sketches* sketches = ActiveSketches();
  // A rank that sends only to itself has no phase.
  if (sketches == nullptr || shape_.destinations() == 0) return;
  if (sketches->AddPhase(domain::PatternKind::kMessages, shape_.ranks(), time)) {
    sketches->AddSample(domain::PatternKind::kMessages, shape_);
  }
}

}  // namespace cox::agent
