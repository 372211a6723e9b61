#include "advise/placement/ib_fabric.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "domain/errors.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kFabricField = "text";

// What the nth pair of quotes in a line holds; "" without it.
absl::string_view Quoted(absl::string_view line, int n) {
  for (;; --n) {
    const size_t open = line.find('"');
    if (open == absl::string_view::npos) return "";
    const size_t close = line.find('"', open + 1);
    if (close == absl::string_view::npos) return "";
    if (n == 0) return line.substr(open + 1, close - open - 1);
    line.remove_prefix(close + 1);
  }
}

class Fabric {
 public:
  absl::StatusOr<std::string> Tree(absl::string_view text) {
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      ReadLine(absl::StripAsciiWhitespace(line));
    }
    if (nodes_.empty()) {
      return domain::InvalidField(kFabricField,
                                  "has no switch with nodes; is it from ibnetdiscover?");
    }
    if (absl::Status status = SetHeights(); !status.ok()) return status;
    return Write();
  }

 private:
  // "Switch 36 "S-0002c9" # ..." begins a switch; "[1] "H-0002c9"[1](2c9) # "n1 HCA-1" lid 3 ..."
  // is a link of it. Other blocks tell the same links from their other ends.
  void ReadLine(absl::string_view line) {
    if (absl::ConsumePrefix(&line, "Switch")) {
      current_ = IndexOf(Quoted(line, 0));
      return;
    }
    if (line.empty() || line.front() != '[') {
      if (!line.empty() && line.front() != '#') current_ = -1;
      return;
    }
    if (current_ < 0) return;
    const absl::string_view peer = Quoted(line, 0);
    if (absl::StartsWith(peer, "S-")) {
      links_.emplace_back(current_, IndexOf(peer));
    } else if (absl::StartsWith(peer, "H-")) {
      const absl::string_view description = Quoted(line, 1);
      // A switch's own adapter, which combines messages on their way (SHARP).
      if (absl::StrContains(description, "Aggregation Node")) return;
      const std::pair<absl::string_view, absl::string_view> words =
          absl::StrSplit(description, absl::MaxSplits(' ', 1));
      const absl::string_view name = words.first.empty() ? peer : words.first;
      if (seen_.insert(std::string(name)).second) nodes_[current_].emplace_back(name);
    }
  }

  int IndexOf(absl::string_view id) {
    const auto [at, is_new] = index_of_.emplace(id, static_cast<int>(heights_.size()));
    if (is_new) heights_.push_back(-1);
    return at->second;
  }

  absl::Status SetHeights() {
    std::vector<std::vector<int>> peers(heights_.size());
    for (const auto& [from, to] : links_) {
      peers[from].push_back(to);
      peers[to].push_back(from);
    }
    std::vector<int> reached;
    for (const auto& [leaf, names] : nodes_) {
      heights_[leaf] = 0;
      reached.push_back(leaf);
    }
    for (size_t i = 0; i < reached.size(); ++i) {
      for (const int peer : peers[reached[i]]) {
        if (heights_[peer] == 0 && heights_[reached[i]] == 0) {
          return domain::InvalidField(kFabricField,
                                      "switches with nodes are linked to each other: that is no "
                                      "tree; write a topology.conf by hand");
        }
        if (heights_[peer] >= 0) continue;
        heights_[peer] = heights_[reached[i]] + 1;
        reached.push_back(peer);
      }
    }
    return absl::OkStatus();
  }

  int GroupOf(int one) {
    while (group_[one] != one) one = group_[one] = group_[group_[one]];
    return one;
  }

  // Each link is in the text twice, once from each end; as an up-link only its lower end counts.
  absl::StatusOr<std::string> Write() {
    const int top = *std::max_element(heights_.begin(), heights_.end());
    group_.resize(heights_.size());
    std::iota(group_.begin(), group_.end(), 0);
    std::vector<std::vector<std::pair<int, int>>> links_at(static_cast<size_t>(top) + 1);
    for (const auto& [from, to] : links_) {
      if (heights_[from] < 0) continue;  // of a rail that only further adapters use
      links_at[static_cast<size_t>(std::max(heights_[from], heights_[to]))].emplace_back(from, to);
    }
    std::map<int, std::string> below;  // of each group, the name of its switch so far
    std::map<int, int64_t> node_count;
    std::string text;
    for (int height = 0; height <= top; ++height) {
      for (const auto& [from, to] : links_at[static_cast<size_t>(height)]) {
        group_[GroupOf(from)] = GroupOf(to);
      }
      std::map<int, int64_t> uplinks;
      for (size_t above = static_cast<size_t>(height) + 1; above < links_at.size(); ++above) {
        for (const auto& [from, to] : links_at[above]) {
          if (heights_[from] <= height) ++uplinks[GroupOf(from)];
        }
      }
      std::map<int, std::vector<std::string>> children;
      std::map<int, int64_t> nodes;
      if (height == 0) {
        for (const auto& [leaf, names] : nodes_) {
          children[leaf] = names;
          nodes[leaf] = static_cast<int64_t>(names.size());
        }
      } else {
        for (const auto& [group, name] : below) {
          children[GroupOf(group)].push_back(name);
          nodes[GroupOf(group)] += node_count[group];
        }
      }
      std::map<int, std::string> next;
      for (const auto& [group, names] : children) {
        const std::string name = absl::StrCat("h", height, "s", next.size());
        absl::StrAppend(&text, "SwitchName=", name,
                        height == 0 ? " Nodes=" : " Switches=", absl::StrJoin(names, ","));
        if (const auto up = uplinks.find(group); up != uplinks.end()) {
          absl::StrAppendFormat(
              &text, " Taper=%.15g",
              static_cast<double>(nodes[group]) / static_cast<double>(up->second));
        }
        text += '\n';
        next[group] = name;
      }
      below = std::move(next);
      node_count = std::move(nodes);
    }
    if (below.size() == 1) return text;
    return domain::InvalidField(kFabricField, absl::StrCat("the fabric is in ", below.size(),
                                                           " parts without a link between them"));
  }

  absl::flat_hash_map<std::string, int> index_of_;
  std::vector<int> heights_;  // -1: not reached
  std::vector<int> group_;
  std::vector<std::pair<int, int>> links_;  // between switches
  std::map<int, std::vector<std::string>> nodes_;
  absl::flat_hash_set<std::string> seen_;
  int current_ = -1;
};

}  // namespace

absl::StatusOr<std::string> TreeOfIbFabric(absl::string_view text) { return Fabric().Tree(text); }

}  // namespace cox::advise
