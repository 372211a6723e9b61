// Sample sort of n keys. s samples of each rank give p - 1 splitters. By these, every rank sends
// its keys to p buckets, which are sorted locally (section 4.3, Table IV). An operation is a key
// handled by a pass of a local sort.
#include <algorithm>
#include <cmath>

#include "strategy/kernels/programs.h"
#include "strategy/kernels/ranks.h"
#include "topology/powers_of_two.h"

namespace cox::strategy {
namespace {

struct Sizes {
  explicit Sizes(const KernelScenario& scenario)
      : p(static_cast<double>(scenario.ranks)),
        s(static_cast<double>(scenario.oversampling)),
        keys(static_cast<double>(scenario.n) / p),
        bucket(scenario.largest_bucket > 0 ? static_cast<double>(scenario.largest_bucket) : keys),
        // Sorting the samples, the own keys, and the bucket.
        sample_operations(RadixSortOperations(s * p)),
        own_operations(RadixSortOperations(keys)),
        bucket_operations(RadixSortOperations(bucket)) {}

  double p, s, keys, bucket;
  double sample_operations, own_operations, bucket_operations;
};

// s words from each rank to rank 0, up a binomial tree: s (p - 1) words and ceil(log2 p) messages
// at rank 0.
void AddSampleTree(const KernelScenario& scenario, model::Schedule* schedule) {
  const auto s = static_cast<double>(scenario.oversampling);
  const int64_t p = scenario.ranks;
  for (int64_t half = 1; half < p; half *= 2) {
    // Ranks half, 3 half, 5 half, ... send the samples of `half` ranks each; the last may send
    // less.
    const int64_t senders = (p - 1 - half) / (2 * half) + 1;
    const int64_t last = std::min(half, p - half * (2 * senders - 1));
    const double to_root = s * static_cast<double>(std::min(half, p - half));
    const auto messages = static_cast<double>(senders);
    const double words =
        s * (static_cast<double>(half) * (messages - 1) + static_cast<double>(last));
    AddSuperstep(scenario, 1, {1, 1, to_root, to_root, messages, words, true}, 0, schedule);
  }
}

// p - 1 words from rank 0 to all, down a binomial tree.
void AddSplitterTree(const KernelScenario& scenario, double operations, model::Schedule* schedule) {
  const auto p = static_cast<double>(scenario.ranks);
  const auto rounds = static_cast<double>(CeilLog2(scenario.ranks));
  const double messages = (p - 1) / rounds;
  AddSuperstep(scenario, rounds, {1, 1, p - 1, p - 1, messages, messages * (p - 1), true},
               operations / rounds, schedule);
}

// `steps` permutations whose receivers do not know the length of the message: a second start-up
// each.
void AddKeys(const KernelScenario& scenario, double steps, double words_per_step, double operations,
             model::Schedule* schedule) {
  const auto p = static_cast<double>(scenario.ranks);
  AddSuperstep(scenario, steps, Balanced(p, 2, words_per_step), operations / steps, schedule);
}

// Keys go straight to their buckets in messages of `grain_bytes`, all in one superstep after one in
// which ranks tell each other how many come (section 6).
void BuildCut(const KernelScenario& scenario, int64_t grain_bytes, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  AddWork(sizes.own_operations, schedule);
  if (scenario.ranks == 1) return;
  const double p = sizes.p;
  AddSampleTree(scenario, schedule);
  AddSplitterTree(scenario, sizes.sample_operations, schedule);
  AddSuperstep(scenario, 1, Balanced(p, p - 1, p - 1), 0, schedule);
  const double bytes = sizes.keys / p * static_cast<double>(scenario.word_bytes);  // for a bucket
  const double messages = p * std::ceil(bytes / static_cast<double>(grain_bytes));
  AddSuperstep(scenario, 1,
               {messages, messages, sizes.keys, sizes.bucket, p * messages, p * sizes.keys, false},
               sizes.bucket_operations, schedule);
}

}  // namespace

absl::Status SampleSortApplies(const KernelScenario& scenario) {
  return NeedsMultiple(scenario.n, scenario.ranks);
}

absl::Status SampleSortPowerOfTwoApplies(const KernelScenario& scenario) {
  if (!topology::IsPowerOfTwo(scenario.ranks))
    return Needs("a power of two of ranks", scenario.ranks);
  return SampleSortApplies(scenario);
}

absl::Status SampleSortPowerOfFourApplies(const KernelScenario& scenario) {
  if (!topology::IsPowerOfTwo(scenario.ranks) || CeilLog2(scenario.ranks) % 2 != 0) {
    return Needs("a power of four of ranks", scenario.ranks);
  }
  return SampleSortApplies(scenario);
}

// Four supersteps: samples to rank 0; from there one splitter to each of p - 2 others; splitters to
// all; keys to buckets. H = (p - 1) s + (p - 2) + (p - 1) + b_max.
void BuildSampleSort(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  AddWork(sizes.own_operations, schedule);
  if (scenario.ranks == 1) return;
  const double p = sizes.p;
  const double samples = (p - 1) * sizes.s;
  AddSuperstep(scenario, 1, {1, p - 1, sizes.s, samples, p - 1, samples, true}, 0, schedule);
  const double in = p > 2 ? 1 : 0;
  AddSuperstep(scenario, 1, {p - 2, in, p - 2, in, p - 2, p - 2, true}, sizes.sample_operations,
               schedule);
  AddSuperstep(scenario, 1, Balanced(p, p - 1, p - 1), 0, schedule);
  AddSuperstep(scenario, 1,
               {p - 1, p - 1, sizes.keys, sizes.bucket, p * (p - 1), p * sizes.keys, false}, 0,
               schedule);
  AddWork(sizes.bucket_operations, schedule);
}

// Keys go straight to their buckets, p - 1 messages of n / p^2 on average.
void BuildSampleSortDirect(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  AddWork(sizes.own_operations, schedule);
  if (scenario.ranks == 1) return;
  AddSampleTree(scenario, schedule);
  AddSplitterTree(scenario, sizes.sample_operations, schedule);
  AddKeys(scenario, sizes.p - 1, sizes.keys / sizes.p, sizes.bucket_operations, schedule);
}

// Keys go through a butterfly, half of them in each of log2 p exchanges: n / (2 p) on average.
void BuildSampleSortButterfly(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  AddWork(sizes.own_operations, schedule);
  if (scenario.ranks == 1) return;
  AddSampleTree(scenario, schedule);
  AddSplitterTree(scenario, sizes.sample_operations, schedule);
  const auto d = static_cast<double>(CeilLog2(scenario.ranks));
  AddKeys(scenario, d, sizes.keys / 2, sizes.bucket_operations, schedule);
}

void BuildSampleSortWords(const KernelScenario& scenario, model::Schedule* schedule) {
  BuildCut(scenario, scenario.word_bytes, schedule);
}

void BuildSampleSortPackets(const KernelScenario& scenario, model::Schedule* schedule) {
  BuildCut(scenario, 32, schedule);
}

// Two rounds over sqrt(p) groups of sqrt(p) ranks each. A bitonic sort of all ranks sorts the
// samples: log2 p (log2 p + 1) messages of s words. The splitters pass two trees of log2(p) / 2
// stages with sqrt(p) - 1 words each, and as many stages of one word.
void BuildSampleSortGroups(const KernelScenario& scenario, model::Schedule* schedule) {
  const Sizes sizes(scenario);
  AddWork(sizes.own_operations, schedule);
  if (scenario.ranks == 1) return;
  const double p = sizes.p;
  const auto d = static_cast<double>(CeilLog2(scenario.ranks));
  const auto groups = static_cast<double>(WholeSquareRoot(scenario.ranks));
  AddSuperstep(scenario, d * (d + 1), Balanced(p, 1, sizes.s), sizes.s * d / (d + 1), schedule);
  AddSuperstep(scenario, d, Balanced(p, 1, 2 * (groups - 1) / d), 0, schedule);
  AddSuperstep(scenario, d / 2, Balanced(p, 1, 1), 0, schedule);
  const double message = sizes.keys / groups;
  AddKeys(scenario, groups - 1, message, sizes.bucket_operations, schedule);
  AddKeys(scenario, groups - 1, message, sizes.bucket_operations, schedule);
}

}  // namespace cox::strategy
