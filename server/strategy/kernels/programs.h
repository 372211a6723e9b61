// The kernels' programs, one family per file, which kernel.cc joins in its table. This header also
// has the functions that write supersteps. Only this folder uses it.
#ifndef COX_STRATEGY_KERNELS_PROGRAMS_H_
#define COX_STRATEGY_KERNELS_PROGRAMS_H_

#include "model/schedule.h"
#include "strategy/kernels/kernel.h"

namespace cox::strategy {

// A superstep's communication, in words.
struct Relation {
  double messages_out = 0;  // of the rank with most
  double messages_in = 0;
  double words_out = 0;
  double words_in = 0;
  double messages_count = 0;  // of all ranks
  double words_count = 0;
  bool disjoint = false;
};

// A relation in which each of p ranks sends and receives `messages` messages, together `words`
// words.
inline Relation Balanced(double ranks, double messages, double words) {
  return {messages, messages, words, words, ranks * messages, ranks * words, false};
}

// Appends `times` supersteps with this relation and work; each ends in a barrier.
inline void AddSuperstep(const KernelScenario& scenario, double times, const Relation& relation,
                         double operations, model::Schedule* schedule) {
  const auto word = static_cast<double>(scenario.word_bytes);
  model::Phase& phase = schedule->Add();
  phase.times = times;
  phase.ends_in_barrier = true;
  phase.work.operations = operations;
  model::LevelTraffic& network = phase.traffic.network;
  network.sends_count = relation.messages_out;
  network.receives_count = relation.messages_in;
  network.out_bytes = network.node_out_bytes = relation.words_out * word;
  network.in_bytes = network.node_in_bytes = relation.words_in * word;
  network.messages_count = network.pairs_count = relation.messages_count;
  network.volume_bytes = relation.words_count * word;
  // The model knows messages of one size: the busiest rank's mean.
  if (relation.messages_out > 0) {
    network.max_message_bytes = network.out_bytes / relation.messages_out;
  }
  phase.traffic.any = network;
  phase.traffic.disjoint = relation.disjoint;
}

// Appends local work without communication.
inline void AddWork(double operations, model::Schedule* schedule) {
  schedule->Add().work.operations = operations;
}

// The local radix sort of `keys` keys: (b / r) (2^r + keys), keys of b = 32 bits, r = 8 at a time.
inline double RadixSortOperations(double keys) { return 32.0 / 8 * (256 + keys); }

// matmul.cc
absl::Status MatmulCubeApplies(const KernelScenario& scenario);
void BuildMatmulCube(const KernelScenario& scenario, model::Schedule* schedule);
void BuildMatmulCubeUnbuffered(const KernelScenario& scenario, model::Schedule* schedule);
void BuildMatmulCubeWords(const KernelScenario& scenario, model::Schedule* schedule);
absl::Status MatmulCannonApplies(const KernelScenario& scenario);
void BuildMatmulCannon(const KernelScenario& scenario, model::Schedule* schedule);

// bitonic_sort.cc
absl::Status BitonicSortApplies(const KernelScenario& scenario);
void BuildBitonicSort(const KernelScenario& scenario, model::Schedule* schedule);
void BuildBitonicSortWords(const KernelScenario& scenario, model::Schedule* schedule);

// sample_sort.cc
absl::Status SampleSortApplies(const KernelScenario& scenario);
absl::Status SampleSortPowerOfTwoApplies(const KernelScenario& scenario);
absl::Status SampleSortPowerOfFourApplies(const KernelScenario& scenario);
void BuildSampleSort(const KernelScenario& scenario, model::Schedule* schedule);
void BuildSampleSortDirect(const KernelScenario& scenario, model::Schedule* schedule);
void BuildSampleSortButterfly(const KernelScenario& scenario, model::Schedule* schedule);
void BuildSampleSortWords(const KernelScenario& scenario, model::Schedule* schedule);
void BuildSampleSortPackets(const KernelScenario& scenario, model::Schedule* schedule);
void BuildSampleSortGroups(const KernelScenario& scenario, model::Schedule* schedule);

// apsp.cc
absl::Status ApspApplies(const KernelScenario& scenario);
absl::Status ApspRowsApplies(const KernelScenario& scenario);
absl::Status ApspWordsApplies(const KernelScenario& scenario);
void BuildApspRows(const KernelScenario& scenario, model::Schedule* schedule);
void BuildApspRowsTree(const KernelScenario& scenario, model::Schedule* schedule);
void BuildApspRowsWords(const KernelScenario& scenario, model::Schedule* schedule);
void BuildApspBlocks(const KernelScenario& scenario, model::Schedule* schedule);
void BuildApspBlocksTree(const KernelScenario& scenario, model::Schedule* schedule);

// multigrid.cc
absl::Status MultigridApplies(const KernelScenario& scenario);
void BuildMultigrid(const KernelScenario& scenario, model::Schedule* schedule);

}  // namespace cox::strategy

#endif  // COX_STRATEGY_KERNELS_PROGRAMS_H_
