#include "cli/output/profile_view.h"

#include <cox/v1/machine.pb.h>
#include <google/protobuf/timestamp.pb.h>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "cli/resource_names.h"
#include "console/printable.h"
#include "console/table.h"
#include "console/units.h"
#include "domain/words/counted.h"

namespace cox::cli {

namespace {

// "alpha", or "alpha above 40 B" for a piece of it.
std::string NameText(const v1::Parameter& parameter) {
  if (parameter.above() <= 0) return parameter.name();
  return absl::StrCat(parameter.name(), " above ", absl::StrFormat("%.6g", parameter.above()),
                      " B");
}

std::string ValueText(const v1::Parameter& parameter) {
  const std::string value = console::FormatQuantity(parameter.value(), parameter.unit());
  return parameter.relation().empty() ? value : absl::StrCat(parameter.relation(), " ", value);
}

}  // namespace

std::string ProvenanceText(v1::Provenance provenance) {
  if (provenance == v1::PROVENANCE_UNSPECIFIED) return "-";
  const std::string& name = v1::Provenance_Name(provenance);
  return absl::AsciiStrToLower(absl::StripPrefix(name, "PROVENANCE_"));
}

std::string TimeText(absl::Time time) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%SZ", time, absl::UTCTimeZone());
}

std::string TimeText(const google::protobuf::Timestamp& time) {
  return TimeText(absl::FromUnixSeconds(time.seconds()));
}

std::string TopologyText(const v1::Topology& topology) {
  if (topology.kind().empty()) return "-";
  if (topology.dims_size() == 0) return topology.kind();
  return absl::StrCat(topology.kind(), " ", absl::StrJoin(topology.dims(), "x"));
}

void PrintParameters(const google::protobuf::RepeatedPtrField<v1::Parameter>& parameters,
                     std::ostream& out) {
  console::Table table({{"MODEL"},
                        {"LEVEL"},
                        {"PARAMETER", console::Align::kLeft, console::Fit::kFold},
                        {"VALUE", console::Align::kRight},
                        {"STD ERROR", console::Align::kRight, console::Fit::kDrop},
                        {""},
                        {"SOURCE", console::Align::kLeft, console::Fit::kFold}});
  for (const v1::Parameter& parameter : parameters) {
    std::string error = "-";
    std::string relative;
    if (parameter.stderr() > 0) {
      error = console::FormatQuantity(parameter.stderr(), parameter.unit());
      if (parameter.value() > 0) {
        const double percent = 100 * parameter.stderr() / parameter.value();
        relative = absl::StrFormat("(%.*f %%)", percent < 10 ? 1 : 0, percent);
      }
    }
    table.Add({parameter.model(), parameter.level(), NameText(parameter), ValueText(parameter),
               error, relative, parameter.source()});
  }
  table.Print(out);
}

std::string DescribeHeld(const v1::HeldRevision& held) {
  return absl::StrCat(
      domain::Counted(held.observation_count(), "observation"),
      absl::StrFormat(" would move predictions by a factor of %.1f from @%d", held.factor(),
                      held.base_revision()),
      held.sources().empty() ? "" : "; these agree with it: ", absl::StrJoin(held.sources(), ", "));
}

void PrintProfileTitle(const v1::Profile& profile, std::ostream& out) {
  const absl::string_view name = profile.name();
  const absl::string_view machine = BareMachine(name.substr(0, name.find("/profiles/")));
  out << console::Printable(absl::StrCat(
             machine, "@", profile.revision(), "  ", ProvenanceText(profile.provenance()), "  ",
             TimeText(profile.create_time()), profile.active() ? "  (active)" : ""))
      << '\n';
  if (!profile.note().empty()) out << "  " << console::Printable(profile.note()) << '\n';
}

void PrintProfile(const v1::Profile& profile, std::ostream& out) {
  PrintProfileTitle(profile, out);
  out << '\n';
  if (profile.parameters_size() == 0) {
    out << "no parameters\n";
    return;
  }
  PrintParameters(profile.parameters(), out);
}

}  // namespace cox::cli
