#include "cli/files/compact_profile.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace cox::cli {
namespace {

constexpr double kShortest = 0;
constexpr double kLongest = 1e300;

// One model's parameters of one level.
class Parameters {
 public:
  Parameters(const v1::Profile& profile, absl::string_view model, absl::string_view level)
      : profile_(profile), model_(model), level_(level) {}

  // The value at `bytes`; none where it is unknown or only bounded.
  std::optional<double> At(absl::string_view name, double bytes) const {
    const v1::Parameter* found = nullptr;
    for (const v1::Parameter& parameter : profile_.parameters()) {
      if (parameter.model() != model_ || parameter.level() != level_) continue;
      if (parameter.name() != name || parameter.relation() == "<=") continue;
      if (parameter.above() > 0 && parameter.above() >= bytes) continue;
      if (found == nullptr || parameter.above() >= found->above()) found = &parameter;
    }
    if (found == nullptr) return std::nullopt;
    return found->value();
  }

 private:
  const v1::Profile& profile_;
  absl::string_view model_;
  absl::string_view level_;
};

std::string Line(absl::string_view name, double value) {
  return absl::StrFormat("%s %.9g\n", name, value);
}

// Seconds from a message's start to the next one's: the larger of both ends' overhead and LogGP's
// gap. Empty where the overhead is unknown.
std::string GapLine(const Parameters& loggp) {
  const std::optional<double> gap_s = loggp.At("g", kShortest);
  const std::optional<double> overhead_s = loggp.At("o", kShortest);
  if (!overhead_s.has_value()) return "";
  return Line("gap_s", std::max(gap_s.value_or(0), 2 * *overhead_s));
}

// Empty where the level's alpha or beta is not known.
std::string MessageLines(const Parameters& hockney) {
  const std::optional<double> alpha_s = hockney.At("alpha", kShortest);
  const std::optional<double> beta_s = hockney.At("beta", kLongest);
  if (!alpha_s.has_value() || !beta_s.has_value()) return "";
  std::string lines = absl::StrCat(Line("alpha_s", *alpha_s), Line("beta_s_per_byte", *beta_s));
  if (const auto cpu_s = hockney.At("alpha_cpu", kShortest)) {
    absl::StrAppend(&lines, Line("alpha_cpu_s", *cpu_s));
  }
  if (const auto cpu_s = hockney.At("beta_cpu", kLongest)) {
    absl::StrAppend(&lines, Line("beta_cpu_s_per_byte", *cpu_s));
  }
  return lines;
}

std::string StageLines(const Parameters& cluster) {
  const double packet = cluster.At("packet", kLongest).value_or(0);
  const double buffer = cluster.At("B_L", kLongest).value_or(0);
  const std::optional<double> send_s = cluster.At("g_s", packet);
  const std::optional<double> receive_s = cluster.At("g_r", packet);
  if (packet <= 0 || buffer <= 0 || !send_s.has_value() || !receive_s.has_value()) return "";
  const auto gap = [&](double constant_s, absl::string_view per_byte) {
    return constant_s + cluster.At(per_byte, packet).value_or(0) * packet;
  };
  return absl::StrCat(Line("packet_bytes", packet), Line("buffer_packets", buffer),
                      Line("send_gap_s", gap(*send_s, "g_s_byte")),
                      Line("receive_gap_s", gap(*receive_s, "g_r_byte")));
}

// Alpha and beta by the cluster model: the trip of a short packet between two ranks, and the larger
// gap between full packets, for each byte. Empty where they are not known.
std::string ClusterMessageLines(const Parameters& cluster) {
  const double packet = cluster.At("packet", kLongest).value_or(0);
  const auto gap_s = [&](absl::string_view constant, absl::string_view per_byte) {
    return cluster.At(constant, packet).value_or(0) +
           cluster.At(per_byte, packet).value_or(0) * packet;
  };
  double alpha_s = 2 * cluster.At("L_processor", kShortest).value_or(0);
  for (const absl::string_view name : {"O_s", "L", "O_r", "U_r"}) {
    const std::optional<double> part_s = cluster.At(name, kShortest);
    if (!part_s.has_value()) return "";
    alpha_s += *part_s;
  }
  const double gap = std::max(gap_s("g_s", "g_s_byte"), gap_s("g_r", "g_r_byte"));
  if (!(packet > 0) || !(gap > 0)) return "";
  return absl::StrCat(Line("alpha_s", alpha_s), Line("beta_s_per_byte", gap / packet));
}

}  // namespace

absl::StatusOr<std::string> CompactProfile(const v1::Profile& profile) {
  for (const absl::string_view level : {"network", "node"}) {
    const std::string lines = MessageLines(Parameters(profile, "hockney", level));
    if (lines.empty()) continue;
    return absl::StrCat("# ", profile.name(), ", messages on level ", level, "\n", lines,
                        GapLine(Parameters(profile, "loggp", level)),
                        StageLines(Parameters(profile, "cluster", "network")));
  }
  const Parameters cluster(profile, "cluster", "network");
  if (const std::string lines = ClusterMessageLines(cluster); !lines.empty()) {
    return absl::StrCat("# ", profile.name(), ", messages of model cluster\n", lines,
                        StageLines(cluster));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      profile.name(), ": alpha and beta of model hockney are not known; cox calibrate finds them"));
}

}  // namespace cox::cli
