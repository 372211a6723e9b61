#include "advise/placement/switch_tree.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <numeric>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "advise/placement/host_list.h"
#include "domain/errors.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kTreeField = "switches";
constexpr double kMaxTaper = 1e6;

bool IsTaper(double value) { return value > 0 && value <= kMaxTaper; }
bool IsName(absl::string_view name) {
  return std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '-' || c == '.' || c == '_' || c == ':';
  });
}

// A switch that a job uses.
struct UsedSwitch {
  int parent = -1;         // index into TreeLinks; -1: all nodes of the job are below
  int64_t node_count = 0;  // of the job, below
  // Of the up-links, those for the job, in links of a node. 0: no parent.
  double uplinks_count = 0;
  double hop_time_s = 0;
};

// Link 2 s leads up from switch s, link 2 s + 1 down to it.
class TreeLinks final : public Links {
 public:
  // Parents come before children; `switch_of` each node.
  TreeLinks(std::vector<UsedSwitch> switches, std::vector<int> switch_of)
      : switches_(std::move(switches)), switch_of_(std::move(switch_of)) {}

  int64_t count() const override { return 2 * static_cast<int64_t>(switches_.size()); }
  double width(int link) const override {
    return switches_[static_cast<size_t>(link / 2)].uplinks_count;
  }

  double AddRoute(int from, int to, std::vector<int>* route) const override {
    int up = switch_of_[static_cast<size_t>(from)];
    int down = switch_of_[static_cast<size_t>(to)];
    double latency_s = 0;
    // Parents come before children, so the larger index is never above the other one.
    while (up != down) {
      int& lower = up > down ? up : down;
      route->push_back(2 * lower + (up > down ? 0 : 1));
      latency_s += switches_[static_cast<size_t>(lower)].hop_time_s;
      lower = switches_[static_cast<size_t>(lower)].parent;
    }
    return latency_s;
  }

  // k below a switch send n - k bytes each over its up-links.
  EvenLoad Evenly() const override {
    const auto n = static_cast<double>(switch_of_.size());
    EvenLoad even;
    std::vector<double> above_s(switches_.size(), 0);
    for (size_t s = 0; s < switches_.size(); ++s) {
      const UsedSwitch& one = switches_[s];
      if (one.parent < 0) continue;
      const auto k = static_cast<double>(one.node_count);
      even.link_bytes = std::max(even.link_bytes, k * (n - k) / one.uplinks_count);
      above_s[s] = above_s[static_cast<size_t>(one.parent)] + one.hop_time_s;
      even.latency_s = std::max(even.latency_s, 2 * above_s[s]);
    }
    return even;
  }

 private:
  const std::vector<UsedSwitch> switches_;
  const std::vector<int> switch_of_;
};

double DistanceLinks(const std::vector<UsedSwitch>& switches, double n) {
  if (n <= 1) return 0;
  double crossings = 0;  // pairs of nodes, for each up-link on their way
  for (const UsedSwitch& one : switches) {
    const auto k = static_cast<double>(one.node_count);
    crossings += k * (n - k);
  }
  return 2 + 2 * crossings / (n * (n - 1));
}

double BisectionLinks(const std::vector<UsedSwitch>& switches, double n) {
  double least = 1;
  for (const UsedSwitch& one : switches) {
    if (one.parent < 0) continue;
    const auto k = static_cast<double>(one.node_count);
    if (k < n) least = std::min(least, one.uplinks_count / std::min(k, n - k));
  }
  return std::max(1.0, n / 2 * least);
}

}  // namespace

// Reads lines into a tree that nobody else sees yet.
class SwitchReader {
 public:
  absl::StatusOr<SwitchTree> Read(absl::string_view text) {
    int64_t number = 0;
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      ++number;
      line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      if (absl::Status status = ReadLine(line, number); !status.ok()) return status;
    }
    if (tree_.switches_.empty()) return domain::InvalidField(kTreeField, "names no switch");
    if (absl::Status status = Join(); !status.ok()) return status;
    if (absl::Status status = SetDepths(); !status.ok()) return status;
    return std::move(tree_);
  }

 private:
  static absl::Status Wrong(int64_t line, absl::string_view why) {
    return domain::InvalidField(kTreeField, absl::StrCat("line ", line, ": ", why));
  }

  absl::Status ReadLine(absl::string_view line, int64_t number) {
    SwitchTree::Switch read;
    for (const absl::string_view word :
         absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
      const std::pair<absl::string_view, absl::string_view> pair =
          absl::StrSplit(word, absl::MaxSplits('=', 1));
      const std::string key = absl::AsciiStrToLower(pair.first);
      if (key == "switchname") {
        read.name = std::string(pair.second);
      } else if (key == "nodes") {
        read.nodes = std::string(pair.second);
      } else if (key == "switches") {
        read.below = std::string(pair.second);
      } else if (key == "taper") {
        read.has_taper = true;
        if (!absl::SimpleAtod(pair.second, &read.taper) || !IsTaper(read.taper)) {
          return Wrong(number, absl::StrCat("Taper=", pair.second.substr(0, 40),
                                            " is not above 0, up to 1e6"));
        }
      } else if (key == "hoptime") {
        read.has_hop_time = true;
        if (!absl::SimpleAtod(pair.second, &read.hop_time_s) || !IsHopTime(read.hop_time_s)) {
          return Wrong(number, absl::StrCat("HopTime=", pair.second.substr(0, 40),
                                            " is not 0 to 1 seconds"));
        }
      } else if (key != "linkspeed") {
        return Wrong(number, absl::StrCat("unknown key \"", pair.first.substr(0, 40),
                                          "\"; known are SwitchName, Nodes, Switches, LinkSpeed, "
                                          "Taper, HopTime"));
      }
    }
    if (read.name.empty()) return Wrong(number, "a line needs SwitchName=");
    if (!IsName(read.name)) return Wrong(number, "a SwitchName is of letters, digits and -._:");
    if (read.nodes.empty() && read.below.empty()) {
      return Wrong(number, absl::StrCat("switch ", read.name, " has neither Nodes nor Switches"));
    }
    const auto index = static_cast<int>(tree_.switches_.size());
    if (!index_of_.emplace(read.name, index).second) {
      return Wrong(number, absl::StrCat("switch ", read.name, " occurs twice"));
    }
    tree_.switches_.push_back(std::move(read));
    line_of_.push_back(number);
    const std::string& nodes = tree_.switches_.back().nodes;
    return nodes.empty() ? absl::OkStatus() : AddNodes(nodes, index, number);
  }

  absl::Status AddNodes(const std::string& nodes, int index, int64_t number) {
    const auto hosts = ExpandHostList(nodes, kTreeField);
    if (!hosts.ok()) return Wrong(number, hosts.status().message());
    tree_.switches_[index].node_count = static_cast<int64_t>(hosts->size());
    for (const std::string& host : *hosts) {
      const auto [at, is_new] = tree_.place_of_.emplace(host, index);
      if (!is_new) {
        return Wrong(number, absl::StrCat("node ", host, " is at switch ",
                                          tree_.switches_[at->second].name, " already"));
      }
    }
    if (tree_.place_of_.size() <= kMaxHosts) return absl::OkStatus();
    return Wrong(number, absl::StrCat("more than ", kMaxHosts, " nodes"));
  }

  // Finds each switch's parent.
  absl::Status Join() {
    for (size_t i = 0; i < tree_.switches_.size(); ++i) {
      if (tree_.switches_[i].below.empty()) continue;
      const auto names = ExpandHostList(tree_.switches_[i].below, kTreeField);
      if (!names.ok()) return Wrong(line_of_[i], names.status().message());
      for (const std::string& name : *names) {
        const auto child = index_of_.find(name);
        if (child == index_of_.end()) {
          return Wrong(line_of_[i], absl::StrCat("no line has SwitchName=", name));
        }
        int& parent = tree_.switches_[child->second].parent;
        if (parent >= 0) {
          return Wrong(line_of_[i],
                       absl::StrCat("switch ", name, " is below ", tree_.switches_[parent].name,
                                    " already; write parallel switches as one"));
        }
        parent = static_cast<int>(i);
      }
    }
    return absl::OkStatus();
  }

  // Walks up from each switch to one of known depth, at most once over each.
  absl::Status SetDepths() {
    std::vector<SwitchTree::Switch>& switches = tree_.switches_;
    std::vector<int> depth(switches.size(), -1);
    std::vector<int> way;
    int top = -1;
    for (size_t i = 0; i < switches.size(); ++i) {
      if (switches[i].parent >= 0) continue;
      if (top >= 0) {
        return Wrong(line_of_[i],
                     absl::StrCat("switches ", switches[top].name, " and ", switches[i].name,
                                  " have no switch above them that joins them"));
      }
      top = static_cast<int>(i);
      depth[i] = 0;
    }
    for (size_t i = 0; i < switches.size(); ++i) {
      way.clear();
      int at = static_cast<int>(i);
      for (; depth[at] < 0; at = switches[at].parent) {
        way.push_back(at);
        // A parent on this way again, or no top at all.
        if (way.size() > switches.size()) {
          return Wrong(line_of_[i],
                       absl::StrCat("switch ", switches[i].name, " is in or below a loop"));
        }
      }
      for (; !way.empty(); way.pop_back()) {
        depth[way.back()] = depth[switches[way.back()].parent] + 1;
        if (depth[way.back()] < kMaxSwitchLevels) continue;
        return Wrong(line_of_[way.back()],
                     absl::StrCat("switch ", switches[way.back()].name, " is below more than ",
                                  kMaxSwitchLevels - 1, " others"));
      }
    }
    std::vector<size_t> deepest_first(switches.size());
    std::iota(deepest_first.begin(), deepest_first.end(), size_t{0});
    std::stable_sort(deepest_first.begin(), deepest_first.end(),
                     [&](size_t a, size_t b) { return depth[a] > depth[b]; });
    for (const size_t i : deepest_first) {
      switches[i].depth = depth[i];
      if (switches[i].parent < 0) continue;
      SwitchTree::Switch& parent = switches[switches[i].parent];
      parent.node_count += switches[i].node_count;
      parent.height = std::max(parent.height, switches[i].height + 1);
    }
    return absl::OkStatus();
  }

  SwitchTree tree_;
  absl::flat_hash_map<std::string, int> index_of_;
  std::vector<int64_t> line_of_;
};

absl::StatusOr<SwitchTree> SwitchTree::Parse(absl::string_view text) {
  return SwitchReader().Read(text);
}

std::string SwitchTree::NodesText() const {
  std::string text;
  for (const Switch& one : switches_) {
    absl::StrAppend(&text, "SwitchName=", one.name);
    if (!one.nodes.empty()) absl::StrAppend(&text, " Nodes=", one.nodes);
    if (!one.below.empty()) absl::StrAppend(&text, " Switches=", one.below);
    if (one.has_taper) absl::StrAppendFormat(&text, " Taper=%.15g", one.taper);
    if (one.has_hop_time) absl::StrAppendFormat(&text, " HopTime=%.15g", one.hop_time_s);
    text += '\n';
  }
  return text;
}

absl::Status SwitchTree::Complete(absl::Span<const double> by_height, double hop_time_s) {
  for (size_t i = 0; i < by_height.size(); ++i) {
    if (IsTaper(by_height[i])) continue;
    return domain::InvalidField(absl::StrCat("taper_ratio[", i, "]"),
                                absl::StrCat("must be above 0, up to ", kMaxTaper));
  }
  if (!IsHopTime(hop_time_s)) {
    return domain::InvalidField("hop_time_s", "must be 0 to 1 seconds");
  }
  for (Switch& one : switches_) {
    if (!one.has_taper && !by_height.empty()) {
      one.taper = by_height[std::min(static_cast<size_t>(one.height), by_height.size() - 1)];
      one.has_taper = true;
    }
    if (!one.has_hop_time && hop_time_s > 0) {
      one.hop_time_s = hop_time_s;
      one.has_hop_time = true;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<NodesInUse> SwitchTree::Use(const std::vector<int>& places, UpLinks uplinks) const {
  std::vector<int64_t> below(switches_.size(), 0);
  for (const int leaf : places) {
    for (int s = leaf; s >= 0; s = switches_[s].parent) ++below[s];
  }
  std::vector<int> used;
  for (size_t s = 0; s < below.size(); ++s) {
    if (below[s] > 0) used.push_back(static_cast<int>(s));
  }
  std::stable_sort(used.begin(), used.end(),
                   [&](int a, int b) { return switches_[a].depth < switches_[b].depth; });
  const auto all = static_cast<int64_t>(places.size());
  std::vector<UsedSwitch> in_use;
  std::vector<int> index_of(switches_.size(), -1);
  for (const int s : used) {
    index_of[s] = static_cast<int>(in_use.size());
    const Switch& one = switches_[s];
    UsedSwitch kept;
    kept.node_count = below[s];
    // A switch that only leads to all nodes carries nothing of the job.
    if (below[s] < all) {
      kept.parent = index_of[one.parent];
      const int64_t served = uplinks == UpLinks::kAll ? one.node_count : below[s];
      kept.uplinks_count = static_cast<double>(served) / one.taper;
      kept.hop_time_s = one.hop_time_s;
    }
    in_use.push_back(kept);
  }
  NodesInUse nodes;
  nodes.node_count = all;
  std::vector<bool> is_leaf(switches_.size(), false);
  std::vector<int> switch_of;
  for (const int leaf : places) {
    nodes.switch_count += is_leaf[leaf] ? 0 : 1;
    is_leaf[leaf] = true;
    switch_of.push_back(index_of[leaf]);
  }
  std::vector<int> above = places;
  while (!above.empty()) {
    const int64_t run = EvenRun(above);
    if (run > 0 && (nodes.unit_nodes.empty() || run > nodes.unit_nodes.back())) {
      nodes.unit_nodes.push_back(run);
    }
    for (int& s : above) s = switches_[s].parent;
    if (std::find(above.begin(), above.end(), -1) != above.end()) above.clear();
  }
  nodes.distance_links = DistanceLinks(in_use, static_cast<double>(all));
  nodes.bisection_links = BisectionLinks(in_use, static_cast<double>(all));
  const bool has_uplinks = std::any_of(in_use.begin(), in_use.end(),
                                       [](const UsedSwitch& one) { return one.parent >= 0; });
  if (has_uplinks) {
    nodes.links = std::make_shared<const TreeLinks>(std::move(in_use), std::move(switch_of));
  }
  return nodes;
}

}  // namespace cox::advise
