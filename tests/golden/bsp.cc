// B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation models,
// ACM TOCS 16(3), 1998: the BSP family and BPRAM. The machines are those of its Table I
// (juurlink_table1.csv).
#include <cstdlib>

#include "bsp_machines.h"
#include "checks.h"
#include "model/analysis/error_metric.h"
#include "pricing.h"
#include "strategy/kernels/kernel.h"
#include "strategy/traffic/message_patterns.h"

namespace cox::golden {
namespace {

using strategy::KernelScenario;

model::Schedule Kernel(absl::string_view name, absl::string_view variant,
                       const KernelScenario& scenario) {
  const strategy::Kernel& kernel = **strategy::FindKernel(name, variant);
  model::Schedule schedule;
  strategy::BuildKernel(kernel, scenario, &schedule);
  return schedule;
}

// A word per message of a named pattern, in one superstep.
model::Schedule Pattern(absl::string_view name, int64_t ranks) {
  model::Schedule schedule;
  if (!strategy::BuildPattern(*strategy::MessagesOf(name, ranks, 4), {.ranks = ranks}, &schedule)
           .ok()) {
    std::abort();
  }
  return schedule;
}

// Eq. (1), the MasPar's time of a partial permutation.
const NamedValues kUnbalanced = {{"active", 0.84e-6}, {"root", 11.8e-6}, {"base", 73.3e-6}};

Quantity BitonicPerKey() {
  return {BspUs(MachineOf("Paragon"), Kernel("bitonic-sort", "", {.n = 65536, .ranks = 64})) /
          1024};
}

// The start-ups that the library sends, instead of L: d + s + log2 p with d = s = 1.
Quantity BitonicPerKeyWithStartups() {
  const Machine paragon = MachineOf("Paragon");
  const model::Schedule schedule = Kernel("bitonic-sort", "", {.n = 65536, .ranks = 64});
  const double us = 1e6 * Price("bsp",
                                {{"g", paragon.g * 1e-6 / paragon.word_bytes},
                                 {"L", paragon.l * 1e-6},
                                 {"startup", kParagonStartupUs * 1e-6}},
                                schedule);
  return {us / 1024};
}

Quantity MatmulOnCm5() {
  return {BspUs(MachineOf("CM-5"), Kernel("matmul-3d", "unbuffered", {.n = 128, .ranks = 64}))};
}

// 2 n^3 operations at 113.0 Mflop/s on all processors, without the communication.
Quantity MatmulWorkOnCm5() { return {2 * 128.0 * 128 * 128 / 113.0 - MatmulOnCm5()[0]}; }

Quantity MatmulPhaseOnGcel() {
  return {BpramUs(MachineOf("GCel"), Kernel("matmul-3d", "", {.n = 256, .ranks = 64})) / 3 / 1000};
}

Quantity ErrorFromTimes(double measured, double predicted) {
  return {*model::ErrorOf(measured, predicted)};
}

Quantity Apsp2PerElement(int64_t n) {
  const double us = BpramUs(MachineOf("Paragon"), Kernel("apsp-2", "tree", {.n = n, .ranks = 64}));
  return {us / (static_cast<double>(n) * static_cast<double>(n) / 64)};
}

Quantity Apsp1WordsIteration() {
  const Machine m = MachineOf("MasPar");
  const double us = 1e6 * Price("mp-bsp", {{"g", m.g * 1e-6 / m.word_bytes}, {"L", m.l * 1e-6}},
                                Kernel("apsp-1", "words", {.n = 128, .ranks = 1024}));
  return {us / 128};
}

double Apsp1UnbalancedIterationUs() {
  return 1e6 *
         Price("mp-e-bsp", kUnbalanced, Kernel("apsp-1", "words", {.n = 128, .ranks = 1024})) / 128;
}

// MP-BSP is 128 % too high; that gives the measured time.
Quantity UnbalancedOverMeasured() {
  return {Apsp1UnbalancedIterationUs() / (Apsp1WordsIteration()[0] / (1 + 1.28))};
}

// A superstep in which each of 64 processors sends to all others and receives from all.
Quantity FullRelationStartups() {
  return {1e6 * Price("bsp", {{"startup", kParagonStartupUs * 1e-6}}, Pattern("all-to-all", 64))};
}

// A partial permutation of words among `active` of the MasPar's processing elements.
double UnbalancedUs(int64_t active) {
  return 1e6 * Price("mp-e-bsp", kUnbalanced, Pattern("shift?by=1", active));
}

Quantity Apsp2Balanced() {
  Machine gcel = MachineOf("GCel");
  gcel.g_scatter = gcel.g;
  return {EBspUs(gcel, Kernel("apsp-2", "", {.n = 1024, .ranks = 64}))};
}

// n = 256 on the GCel: a superstep's h = 1024 words is on the first piece of both curves. The
// scatter's L is not printed; 0 is the published profile's.
Quantity Apsp2BspOverEBsp() {
  Machine gcel = MachineOf("GCel");
  gcel.g = kGcelShortGapUs;
  gcel.l = kGcelShortSyncUs;
  gcel.g_scatter = kGcelShortScatterUs;
  const model::Schedule schedule = Kernel("apsp-2", "", {.n = 256, .ranks = 64});
  const double e_bsp_us = 1e6 * Price("e-bsp",
                                      {{"g", gcel.g * 1e-6 / gcel.word_bytes},
                                       {"L", gcel.l * 1e-6},
                                       {"g_scatter", gcel.g_scatter * 1e-6 / gcel.word_bytes},
                                       {"L_scatter", 0}},
                                      schedule);
  return {BspUs(gcel, schedule) / e_bsp_us};
}

// The words of the busiest processor: a word costs 1 s, a superstep nothing.
Quantity SampleSortWords() {
  const model::Schedule schedule =
      Kernel("sample-sort", "bsp",
             {.n = 64 * 1024, .ranks = 64, .oversampling = 32, .largest_bucket = 1200});
  return {Price("bsp", {{"g", 1.0 / 4}}, schedule)};
}

constexpr Computation kComputations[] = {
    {"J-2", BitonicPerKey},
    {"J-3", [] { return ErrorFromTimes(167, 513); }},
    {"J-4", [] { return ErrorFromTimes(1 / 89.9, 1 / 113.0); }},
    {"J-5", MatmulOnCm5},
    {"J-6", MatmulWorkOnCm5},
    {"J-7", MatmulPhaseOnGcel},
    {"J-9", [] { return Quantity{UnbalancedUs(32) / UnbalancedUs(1024)}; }},
    {"J-10", [] { return Quantity{590 / UnbalancedUs(1024)}; }},
    {"J-11", [] { return Quantity{UnbalancedUs(1024)}; }},
    {"J-12.256", [] { return Apsp2PerElement(256); }},
    {"J-12.1024", [] { return Apsp2PerElement(1024); }},
    {"J-13a", Apsp1WordsIteration},
    {"J-13b", [] { return Quantity{Apsp1UnbalancedIterationUs()}; }},
    {"J-13c", UnbalancedOverMeasured},
    {"J-14", FullRelationStartups},
    {"J-15", BitonicPerKeyWithStartups},
    {"J-16", Apsp2Balanced},
    {"J-17", Apsp2BspOverEBsp},
    {"J-18", SampleSortWords},
};

}  // namespace

absl::Span<const Computation> BspComputations() { return kComputations; }

}  // namespace cox::golden
