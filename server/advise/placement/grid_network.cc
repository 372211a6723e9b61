#include "advise/placement/grid_network.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "advise/placement/dragonfly_links.h"
#include "advise/placement/host_list.h"
#include "advise/placement/torus_links.h"
#include "domain/errors.h"
#include "domain/words/counted.h"

namespace cox::advise {
namespace {

constexpr absl::string_view kGridField = "switches";
constexpr size_t kMaxDims = 6;
// Bounds the links on a way.
constexpr int kMaxTorusDim = 128;
constexpr double kMaxWidth = 1e6;

}  // namespace

// Reads the line into a grid that nobody else sees yet.
class GridNetworkReader {
 public:
  absl::StatusOr<GridNetwork> Read(absl::string_view text) {
    int64_t of_grid = 0;
    for (absl::string_view line : absl::StrSplit(text, '\n')) {
      ++number_;
      line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      if (!grid_.dims_.empty()) return Wrong("a Torus or Dragonfly has one line");
      for (const absl::string_view word :
           absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty())) {
        const std::pair<absl::string_view, absl::string_view> pair =
            absl::StrSplit(word, absl::MaxSplits('=', 1));
        if (absl::Status status = ReadWord(pair.first, pair.second); !status.ok()) return status;
      }
      of_grid = number_;
    }
    number_ = of_grid;
    if (absl::Status status = Check(); !status.ok()) return status;
    return std::move(grid_);
  }

 private:
  absl::Status Wrong(absl::string_view why) const {
    return domain::InvalidField(kGridField, absl::StrCat("line ", number_, ": ", why));
  }

  absl::Status ReadWord(absl::string_view name, absl::string_view value) {
    const std::string key = absl::AsciiStrToLower(name);
    if (key == "torus" || key == "dragonfly") {
      grid_.kind_ = key == "torus" ? GridNetwork::Kind::kTorus : GridNetwork::Kind::kDragonfly;
      return ReadDims(value);
    }
    if (key == "nodes") {
      grid_.nodes_ = std::string(value);
      return absl::OkStatus();
    }
    if (key == "localwidth") return ReadWidth(name, value, &grid_.local_width_);
    if (key == "globalwidth") return ReadWidth(name, value, &grid_.global_width_);
    if (key == "hoptime") {
      grid_.has_hop_time_ = true;
      if (absl::SimpleAtod(value, &grid_.hop_time_s_) && IsHopTime(grid_.hop_time_s_)) {
        return absl::OkStatus();
      }
      return Wrong(absl::StrCat("HopTime=", value.substr(0, 40), " is not 0 to 1 seconds"));
    }
    return Wrong(absl::StrCat("unknown key \"", name.substr(0, 40),
                              "\"; known are Torus, Dragonfly, Nodes, LocalWidth, GlobalWidth, "
                              "HopTime"));
  }

  absl::Status ReadDims(absl::string_view value) {
    for (const absl::string_view word : absl::StrSplit(value, 'x')) {
      int dim = 0;
      if (!absl::SimpleAtoi(word, &dim) || dim < 1 || dim > static_cast<int>(kMaxHosts)) {
        return Wrong(absl::StrCat("\"", value.substr(0, 40),
                                  "\" is not a list of numbers above 0 such as 4x4x2"));
      }
      grid_.dims_.push_back(dim);
    }
    if (grid_.kind_ == GridNetwork::Kind::kTorus && grid_.dims_.size() <= kMaxDims) {
      if (*std::max_element(grid_.dims_.begin(), grid_.dims_.end()) <= kMaxTorusDim) {
        return absl::OkStatus();
      }
      return Wrong(absl::StrCat("a number of a Torus is at most ", kMaxTorusDim));
    }
    if (grid_.kind_ == GridNetwork::Kind::kDragonfly && grid_.dims_.size() == 4)
      return absl::OkStatus();
    return Wrong("a Torus has up to 6 numbers, a Dragonfly 4: groups x rows x routers x nodes");
  }

  absl::Status ReadWidth(absl::string_view name, absl::string_view value, double* width) const {
    if (grid_.kind_ != GridNetwork::Kind::kDragonfly) return Wrong("only a Dragonfly has widths");
    if (absl::SimpleAtod(value, width) && *width > 0 && *width <= kMaxWidth) {
      return absl::OkStatus();
    }
    return Wrong(absl::StrCat(name, "=", value.substr(0, 40), " is not above 0, up to 1e6"));
  }

  absl::Status Check() {
    const auto hosts = ExpandHostList(grid_.nodes_, "Nodes");
    if (!hosts.ok()) return Wrong(hosts.status().message());
    double product = 1;
    for (const int dim : grid_.dims_) product *= dim;
    if (product != static_cast<double>(hosts->size())) {
      return Wrong(absl::StrCat(absl::StrJoin(grid_.dims_, "x"), " places, but ",
                                domain::Counted(static_cast<int64_t>(hosts->size()), "node")));
    }
    for (const std::string& host : *hosts) {
      const auto place = static_cast<int>(grid_.place_of_.size());
      if (!grid_.place_of_.emplace(host, place).second) {
        return Wrong(absl::StrCat("node ", host, " occurs twice"));
      }
    }
    if (grid_.kind_ == GridNetwork::Kind::kDragonfly && !DragonflyLinks::AreFew(grid_.dims_)) {
      return Wrong(absl::StrCat("more than ", kMaxDragonflyLinks, " links between routers"));
    }
    return absl::OkStatus();
  }

  GridNetwork grid_;
  int64_t number_ = 0;
};

bool GridNetwork::IsLine(absl::string_view line) {
  return absl::StartsWithIgnoreCase(line, "torus=") ||
         absl::StartsWithIgnoreCase(line, "dragonfly=");
}

absl::StatusOr<GridNetwork> GridNetwork::Parse(absl::string_view text) {
  return GridNetworkReader().Read(text);
}

absl::Status GridNetwork::Complete(absl::Span<const double> taper_ratios, double hop_time_s) {
  if (!taper_ratios.empty()) {
    return domain::InvalidField("taper_ratio", "a torus or dragonfly has none: write widths");
  }
  if (!IsHopTime(hop_time_s)) return domain::InvalidField("hop_time_s", "must be 0 to 1 seconds");
  if (!has_hop_time_ && hop_time_s > 0) {
    hop_time_s_ = hop_time_s;
    has_hop_time_ = true;
  }
  return absl::OkStatus();
}

int64_t GridNetwork::switch_count() const {
  return kind_ == Kind::kTorus ? node_count() : node_count() / dims_.back();
}

std::string GridNetwork::NodesText() const {
  std::string text =
      absl::StrCat(kind_ == Kind::kTorus ? "Torus=" : "Dragonfly=", absl::StrJoin(dims_, "x"),
                   " Nodes=", nodes_);
  if (kind_ == Kind::kDragonfly) {
    absl::StrAppendFormat(&text, " LocalWidth=%.15g GlobalWidth=%.15g", local_width_,
                          global_width_);
  }
  if (has_hop_time_) absl::StrAppendFormat(&text, " HopTime=%.15g", hop_time_s_);
  return text + '\n';
}

absl::StatusOr<NodesInUse> GridNetwork::Use(const std::vector<int>& places,
                                            UpLinks /*uplinks*/) const {
  if (static_cast<int64_t>(places.size()) > kMaxRoutedNodes) {
    return domain::InvalidField(
        "node_list", absl::StrCat("has ", places.size(), " nodes; of a torus or dragonfly at most ",
                                  kMaxRoutedNodes, " are priced"));
  }
  return kind_ == Kind::kTorus
             ? UseTorus(dims_, places, hop_time_s_)
             : UseDragonfly(dims_, places, {local_width_, global_width_, hop_time_s_});
}

}  // namespace cox::advise
