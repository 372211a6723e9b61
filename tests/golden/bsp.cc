// B. H. H. Juurlink, H. A. G. Wijshoff, A quantitative comparison of parallel computation models,
// ACM TOCS 16(3), 1998: the BSP family and BPRAM. The machines are those of its Table I
// (juurlink_table1.csv, juurlink_gcel_routing.csv).
#include <limits>
#include <string>

#include "bsp_forms.h"
#include "bsp_machines.h"
#include "checks.h"
#include "csv.h"
#include "model/analysis/error_metric.h"
#include "pricing.h"
#include "strategy/kernels/kernel.h"

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

// A superstep of an h-relation on the GCel, h in words.
double GcelUs(double words) {
  static const std::vector<Record> kPieces = ReadTable("juurlink_gcel_routing.csv");
  for (const Record& piece : kPieces) {
    // The last piece contains h = 7000, the first h = 4500.
    const double up_to = NumberOf(piece, "h_to_incl", std::numeric_limits<double>::infinity());
    const bool flat = NumberOf(piece, "slope_us") == 0;
    if (piece.at("quantity") != "T(h)" || words > up_to || (flat && words == up_to)) continue;
    return NumberOf(piece, "offset_us") + NumberOf(piece, "slope_us") * words;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

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
         Price("mp-e-bsp", {{"active", 0.84e-6}, {"root", 11.8e-6}, {"base", 73.3e-6}},
               Kernel("apsp-1", "words", {.n = 128, .ranks = 1024})) /
         128;
}

// MP-BSP is 128 % too high; that gives the measured time.
Quantity UnbalancedOverMeasured() {
  return {Apsp1UnbalancedIterationUs() / (Apsp1WordsIteration()[0] / (1 + 1.28))};
}

Quantity FullRelationStartups() { return {(63 + 63 + std::log2(64)) * kParagonStartupUs}; }

Quantity Apsp2Balanced() {
  Machine gcel = MachineOf("GCel");
  gcel.g_scatter = gcel.g;
  return {EBspUs(gcel, Kernel("apsp-2", "", {.n = 1024, .ranks = 64}))};
}

// n = 256 on the GCel: a superstep's h = 1024 words is on the first piece of both curves. The
// scatter's L is not printed; 0 is the published profile's.
Quantity Apsp2BspOverEBsp() {
  Machine gcel = MachineOf("GCel");
  gcel.g = GcelUs(1) - GcelUs(0);
  gcel.l = GcelUs(0);
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

Quantity SampleSortWords() { return {SampleSortBsp(32, 1200, 64).words}; }

// Collecting the samples and distributing the splitters, three supersteps, per key.
Quantity SampleSortFirstPhase() {
  const double words = SampleSortBsp(32, 0, 64).words;
  return {(3 * GcelUs(0) + (GcelUs(1) - GcelUs(0)) * words) / 128 / 1000};
}

Quantity SampleSortRouting() { return {GcelUs(32768) / 32768}; }

constexpr Computation kComputations[] = {
    {"J-1.paragon", [] { return Quantity{BlockGain(MachineOf("Paragon"))}; }},
    {"J-1.gcel", [] { return Quantity{BlockGain(MachineOf("GCel"))}; }},
    {"J-1.t3e", [] { return Quantity{BlockGain(MachineOf("T3E"))}; }},
    {"J-1.cm5", [] { return Quantity{BlockGain(MachineOf("CM-5"))}; }},
    {"J-1.maspar", [] { return Quantity{WordBlockGain(MachineOf("MasPar"))}; }},
    {"J-2", BitonicPerKey},
    {"J-3", [] { return ErrorFromTimes(167, 513); }},
    {"J-4", [] { return ErrorFromTimes(1 / 89.9, 1 / 113.0); }},
    {"J-5", MatmulOnCm5},
    {"J-6", MatmulWorkOnCm5},
    {"J-7", MatmulPhaseOnGcel},
    {"J-8a", [] { return Quantity{GcelUs(4500)}; }},
    {"J-8b", [] { return Quantity{GcelUs(7000)}; }},
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
    {"J-19", SampleSortFirstPhase},
    {"J-20", SampleSortRouting},
};

}  // namespace

absl::Span<const Computation> BspComputations() { return kComputations; }

}  // namespace cox::golden
