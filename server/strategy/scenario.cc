#include "strategy/scenario.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "model/errors.h"

namespace cox::strategy {
namespace {

absl::Status CheckRange(absl::string_view field, int64_t value, int64_t least, int64_t greatest) {
  if (value >= least && value <= greatest) return absl::OkStatus();
  return model::InvalidField(field,
                             absl::StrCat(value, " is not between ", least, " and ", greatest));
}

}  // namespace

absl::string_view CollectiveName(Collective collective) {
  switch (collective) {
    case Collective::kAlltoall:
      return "alltoall";
    case Collective::kBcast:
      return "bcast";
    case Collective::kAllreduce:
      return "allreduce";
    case Collective::kAllgather:
      return "allgather";
    case Collective::kScatter:
      return "scatter";
    case Collective::kGather:
      return "gather";
    case Collective::kReduce:
      return "reduce";
    case Collective::kBarrier:
      return "barrier";
    case Collective::kReduceScatter:
      return "reduce_scatter";
    case Collective::kReduceScatterBlock:
      return "reduce_scatter_block";
    case Collective::kScan:
      return "scan";
    case Collective::kExscan:
      return "exscan";
    case Collective::kAlltoallv:
      return "alltoallv";
    case Collective::kAlltoallw:
      return "alltoallw";
    case Collective::kAllgatherv:
      return "allgatherv";
    case Collective::kScatterv:
      return "scatterv";
    case Collective::kGatherv:
      return "gatherv";
  }
  return "";
}

bool IsOneVector(Collective collective) {
  switch (collective) {
    case Collective::kBcast:
    case Collective::kAllreduce:
    case Collective::kReduce:
    case Collective::kBarrier:
    case Collective::kScan:
    case Collective::kExscan:
      return true;
    case Collective::kAlltoall:
    case Collective::kAllgather:
    case Collective::kScatter:
    case Collective::kGather:
    case Collective::kReduceScatter:
    case Collective::kReduceScatterBlock:
    case Collective::kAlltoallv:
    case Collective::kAlltoallw:
    case Collective::kAllgatherv:
    case Collective::kScatterv:
    case Collective::kGatherv:
      return false;
  }
  return false;
}

absl::StatusOr<Collective> ParseCollective(absl::string_view name) {
  std::string known;
  for (int i = 0; i < kCollectiveCount; ++i) {
    const auto collective = static_cast<Collective>(i);
    if (CollectiveName(collective) == name) return collective;
    absl::StrAppend(&known, known.empty() ? "" : ", ", CollectiveName(collective));
  }
  return absl::NotFoundError(
      absl::StrCat("collective \"", name, "\": no strategy carries it, only ", known));
}

absl::Status Validate(const Scenario& scenario) {
  absl::Status status = CheckRange("ranks", scenario.ranks, 1, kMaxRanks);
  if (status.ok()) status = CheckRange("ppn", scenario.ppn, 1, kMaxRanks);
  if (status.ok()) status = CheckRange("block_bytes", scenario.block_bytes, 0, kMaxBlockBytes);
  if (status.ok()) status = CheckRange("type_bytes", scenario.type_bytes, 1, kMaxBlockBytes);
  if (status.ok()) status = CheckRange("root", scenario.root, 0, scenario.ranks - 1);
  return status;
}

}  // namespace cox::strategy
