#include "strategy/kernels/kernel.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "domain/shape.h"
#include "strategy/kernels/programs.h"
#include "strategy/scenario.h"

namespace cox::strategy {
namespace {

constexpr absl::string_view kMatmul = "Juurlink and Wijshoff 1998, section 4.1, Table II";
constexpr absl::string_view kRows = "rows of a square matrix";
constexpr absl::string_view kCube = "p a cube q^3, n a multiple of q^2";
constexpr absl::string_view kSquare = "p a square, n a multiple of its root";
constexpr absl::string_view kRanks = "n a multiple of p";
constexpr absl::string_view kPowerOfTwo = "p a power of two, n a multiple of p";
constexpr absl::string_view kPowerOfFour = "p a power of four, n a multiple of p";
constexpr absl::string_view kSquareBelow = "p a square, n >= p, n a multiple of its root";
constexpr absl::string_view kFlop = "an addition or a multiplication";
constexpr absl::string_view kKey = "a key handled";
constexpr absl::string_view kUpdate = "an update of a distance";

constexpr Kernel kKernels[] = {
    {"matmul-3d", "", "matrix product on a cube of ranks, two supersteps of blocks", kRows, kCube,
     kFlop, kMatmul, MatmulCubeApplies, BuildMatmulCube},
    {"matmul-3d", "unbuffered", "the same with one more barrier, for lack of buffers", kRows, kCube,
     kFlop, kMatmul, MatmulCubeApplies, BuildMatmulCubeUnbuffered},
    {"matmul-3d", "words", "the same with a message for each word", kRows, kCube, kFlop, kMatmul,
     MatmulCubeApplies, BuildMatmulCubeWords},
    {"matmul-cannon", "", "matrix product on a torus of ranks, blocks rotated", kRows, kSquare,
     kFlop, "L. E. Cannon, A cellular computer to implement the Kalman filter algorithm, 1969",
     MatmulCannonApplies, BuildMatmulCannon},
    {"bitonic-sort", "", "sort by exchanging all keys with one partner after the other", "keys",
     kPowerOfTwo, kKey, "Juurlink and Wijshoff 1998, section 4.2, Table III", BitonicSortApplies,
     BuildBitonicSort},
    {"bitonic-sort", "words", "the same with a message for each key", "keys", kPowerOfTwo, kKey,
     "Juurlink and Wijshoff 1998, section 4.2, Table III", BitonicSortApplies,
     BuildBitonicSortWords},
    {"sample-sort", "bsp", "sort by splitters from samples, all at rank 0, four supersteps", "keys",
     kRanks, kKey, "Juurlink and Wijshoff 1998, section 4.3, Table IV, BSP", SampleSortApplies,
     BuildSampleSort},
    {"sample-sort", "ssdr", "the same with trees, keys sent straight to their buckets", "keys",
     kRanks, kKey, "Juurlink and Wijshoff 1998, section 4.3, Table IV, BPRAM SSDR",
     SampleSortApplies, BuildSampleSortDirect},
    {"sample-sort", "ssbr", "the same with trees, keys sent through a butterfly", "keys",
     kPowerOfTwo, kKey, "Juurlink and Wijshoff 1998, section 4.3, Table IV, BPRAM SSBR",
     SampleSortPowerOfTwoApplies, BuildSampleSortButterfly},
    {"sample-sort", "words", "the same with trees, a message for each key to its bucket", "keys",
     kRanks, kKey, "Juurlink and Wijshoff 1998, section 6", SampleSortApplies,
     BuildSampleSortWords},
    {"sample-sort", "32-bytes", "the same with trees, messages of 32 bytes to the buckets", "keys",
     kRanks, kKey, "Juurlink and Wijshoff 1998, section 6", SampleSortApplies,
     BuildSampleSortPackets},
    {"sample-sort", "maspar", "the same in two rounds over groups of sqrt(p) ranks", "keys",
     kPowerOfFour, kKey, "Juurlink and Wijshoff 1998, section 4.3, Table IV, MasPar",
     SampleSortPowerOfFourApplies, BuildSampleSortGroups},
    {"apsp-1", "", "shortest paths, a vertex at a time, rows and columns scattered and gathered",
     "vertices", kSquareBelow, kUpdate, "Juurlink and Wijshoff 1998, section 4.4, Table V, APSP 1",
     ApspRowsApplies, BuildApspRows},
    {"apsp-1", "tree", "the same, rows and columns sent down trees", "vertices", kSquareBelow,
     kUpdate, "Juurlink and Wijshoff 1998, section 4.4, Table V, APSP 1, BPRAM", ApspRowsApplies,
     BuildApspRowsTree},
    {"apsp-1", "words", "the same word by word, also with fewer vertices than ranks", "vertices",
     kSquare, kUpdate,
     "Juurlink and Wijshoff 1998, section 4.4, Table V, APSP 1, MP-BSP and MP-E-BSP",
     ApspWordsApplies, BuildApspRowsWords},
    {"apsp-2", "", "shortest paths, a block of vertices at a time, scattered and gathered",
     "vertices", kSquare, kUpdate, "Juurlink and Wijshoff 1998, section 4.4, Table V, APSP 2",
     ApspApplies, BuildApspBlocks},
    {"apsp-2", "tree", "the same, blocks sent down trees", "vertices", kSquare, kUpdate,
     "Juurlink and Wijshoff 1998, section 4.4, Table V, APSP 2, BPRAM", ApspApplies,
     BuildApspBlocksTree},
    {"multigrid", "", "a V-cycle on grids of n x n points, a time level on each rank",
     "points on a side of the finest grid", "n a power of two", "an update of a point",
     "Stoica, Sultan and Keyes 1996, section 4, in the limit of time parallelism", MultigridApplies,
     BuildMultigrid},
};

absl::Status CheckRange(absl::string_view field, int64_t value, int64_t least, int64_t greatest) {
  if (value >= least && value <= greatest) return absl::OkStatus();
  return domain::InvalidField(field,
                              absl::StrCat(value, " is not between ", least, " and ", greatest));
}

}  // namespace

absl::Span<const Kernel> Kernels() { return kKernels; }

absl::StatusOr<const Kernel*> FindKernel(absl::string_view name, absl::string_view variant) {
  std::string known;
  for (const Kernel& kernel : kKernels) {
    if (kernel.name == name && (variant.empty() || kernel.variant == variant)) return &kernel;
    absl::StrAppend(&known, known.empty() ? "" : ", ", kernel.name);
    if (!kernel.variant.empty()) absl::StrAppend(&known, "?variant=", kernel.variant);
  }
  return absl::NotFoundError(absl::StrCat("kernel \"", name, "\"",
                                          variant.empty() ? "" : " of variant \"", variant,
                                          variant.empty() ? "" : "\"", ": there are only ", known));
}

absl::Status Validate(const KernelScenario& scenario) {
  absl::Status status = CheckRange("n", scenario.n, 1, kMaxKernelSize);
  if (status.ok()) status = CheckRange("ranks", scenario.ranks, 1, domain::kMaxRanks);
  if (status.ok()) status = CheckRange("word_bytes", scenario.word_bytes, 1, int64_t{1} << 20);
  if (status.ok()) status = CheckRange("oversampling", scenario.oversampling, 1, kMaxKernelSize);
  if (status.ok() && scenario.largest_bucket != 0) {
    const int64_t mean = (scenario.n + scenario.ranks - 1) / scenario.ranks;
    status = CheckRange("largest_bucket", scenario.largest_bucket, mean, scenario.n);
  }
  return status;
}

void BuildKernel(const Kernel& kernel, const KernelScenario& scenario, model::Schedule* schedule) {
  static const domain::Shape kCrossbar;
  const domain::Shape& shape = scenario.shape != nullptr ? *scenario.shape : kCrossbar;
  schedule->Clear(model::ExtentOf(shape, scenario.ranks));
  kernel.build(scenario, schedule);
}

}  // namespace cox::strategy
