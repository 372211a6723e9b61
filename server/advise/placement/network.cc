#include "advise/placement/network.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "advise/placement/grid_network.h"
#include "advise/placement/host_list.h"
#include "advise/placement/switch_tree.h"
#include "domain/errors.h"
#include "domain/words/counted.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kList = "node_list";

absl::StatusOr<std::vector<std::string>> DistinctHosts(absl::string_view node_list) {
  absl::StatusOr<std::vector<std::string>> hosts = ExpandHostList(node_list, kList);
  if (!hosts.ok()) return hosts.status();
  std::vector<absl::string_view> sorted(hosts->begin(), hosts->end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice == sorted.end()) return hosts;
  return domain::InvalidField(kList, absl::StrCat("node ", *twice, " occurs twice"));
}

// Whether the first line that says something is that of a grid.
bool IsGrid(absl::string_view text) {
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripAsciiWhitespace(line);
    if (!line.empty()) return GridNetwork::IsLine(line);
  }
  return false;
}

// Without comments. Slurm's files continue a line behind a backslash at its end. The lines keep
// their numbers.
std::string WithWholeLines(absl::string_view text) {
  std::string whole;
  std::string behind;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    line = absl::StripTrailingAsciiWhitespace(line.substr(0, line.find('#')));
    if (absl::ConsumeSuffix(&line, "\\")) {
      absl::StrAppend(&whole, line);
      behind += '\n';
    } else {
      absl::StrAppend(&whole, line, behind, "\n");
      behind.clear();
    }
  }
  return whole + behind;
}

template <typename Kind>
absl::StatusOr<std::unique_ptr<Network>> Completed(absl::StatusOr<Kind> read,
                                                   absl::Span<const double> taper_ratios,
                                                   double hop_time_s) {
  if (!read.ok()) return read.status();
  if (absl::Status status = read->Complete(taper_ratios, hop_time_s); !status.ok()) return status;
  return std::make_unique<Kind>(*std::move(read));
}

}  // namespace

int64_t EvenRun(const std::vector<int>& numbers) {
  absl::flat_hash_set<int> begun;
  std::vector<int64_t> runs;
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0 && numbers[i] == numbers[i - 1]) {
      ++runs.back();
      continue;
    }
    if (!begun.insert(numbers[i]).second) return 0;
    runs.push_back(1);
  }
  if (runs.size() < 2 || runs.front() < 2 || runs.back() > runs.front()) return 0;
  const bool are_even =
      std::all_of(runs.begin(), runs.end() - 1, [&](int64_t run) { return run == runs.front(); });
  return are_even ? runs.front() : 0;
}

absl::StatusOr<std::unique_ptr<const Network>> Network::Parse(absl::string_view text,
                                                              absl::Span<const double> taper_ratios,
                                                              double hop_time_s) {
  std::string lines = WithWholeLines(text);
  const absl::StatusOr<Sockets> sockets = TakeSockets(&lines);
  if (!sockets.ok()) return sockets.status();
  auto network = IsGrid(lines) ? Completed(GridNetwork::Parse(lines), taper_ratios, hop_time_s)
                               : Completed(SwitchTree::Parse(lines), taper_ratios, hop_time_s);
  if (!network.ok()) return network.status();
  (*network)->sockets_ = *sockets;
  return *std::move(network);
}

absl::StatusOr<NodesInUse> Network::Find(absl::string_view node_list, int64_t count,
                                         UpLinks uplinks, int64_t job_nodes) const {
  const auto hosts = DistinctHosts(node_list);
  if (!hosts.ok()) return hosts.status();
  const auto host_count = static_cast<int64_t>(hosts->size());
  if (job_nodes > 0 && host_count > job_nodes) {
    return domain::InvalidField(
        kList, absl::StrCat("has ", domain::Counted(host_count, "node"), ", but nodes is ",
                            job_nodes, "; list only the nodes of the job, or correct nodes"));
  }
  std::vector<int> places;
  places.reserve(hosts->size());
  for (const std::string& host : *hosts) {
    const auto found = place_of_.find(host);
    if (found == place_of_.end()) {
      return domain::InvalidField(kList, absl::StrCat("the machine's switches know no node ", host,
                                                      "; see `cox machine switches`"));
    }
    places.push_back(found->second);
  }
  if (count > host_count) {
    return domain::InvalidField(kList, absl::StrCat("has ", domain::Counted(host_count, "node"),
                                                    "; the job needs ", count));
  }
  if (count > 0) places.resize(static_cast<size_t>(count));
  absl::StatusOr<NodesInUse> nodes = Use(places, uplinks);
  if (nodes.ok()) nodes->sockets = sockets_;
  return nodes;
}

}  // namespace cox::advise
