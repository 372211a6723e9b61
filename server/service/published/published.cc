#include "service/published/published.h"

#include <google/protobuf/text_format.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "cox/v1/machine.pb.h"
#include "daemon/stored_profile.h"
#include "domain/errors.h"
#include "domain/profile.h"
#include "learn/fallback_parameters.h"
#include "service/convert/machine.h"
#include "service/convert/profile.h"

namespace cox::service {
namespace {

struct Unit {
  absl::string_view name;
  double in_si;
};
constexpr Unit kUnits[] = {
    {"s", 1},          {"us", 1e-6},           {"s/byte", 1},
    {"us/byte", 1e-6}, {"us/word4", 1e-6 / 4}, {"us/word8", 1e-6 / 8},
    {"byte", 1},       {"units", 1},           {"packets", 1},
    {"0 or 1", 1},
};

absl::StatusOr<store::PublishedMachine> Read(absl::string_view text) {
  v1::MachineDescription description;
  if (!google::protobuf::TextFormat::ParseFromString(std::string(text), &description)) {
    return absl::InvalidArgumentError("is not a MachineDescription");
  }
  for (v1::Parameter& parameter : *description.mutable_profile()->mutable_parameters()) {
    const absl::StatusOr<double> value = ToSi(parameter.value(), parameter.unit());
    if (!value.ok()) return value.status();
    parameter.set_value(*value);
  }
  description.mutable_profile()->set_provenance(v1::PROVENANCE_PUBLISHED);
  const absl::StatusOr<store::MachineRecord> machine = ToRecord(description.machine());
  if (!machine.ok()) return machine.status();
  absl::StatusOr<store::ProfileRecord> profile = ToRecord(machine->name, description.profile());
  if (!profile.ok()) return profile.status();
  domain::Profile complete = daemon::ProfileOf(*profile);
  std::vector<std::string> assumed;  // the source of each such parameter says the same
  learn::CopyMissingLevels(&complete, &assumed);
  profile->parameters = complete.parameters;
  return store::PublishedMachine{*machine, *std::move(profile)};
}

}  // namespace

absl::StatusOr<double> ToSi(double value, absl::string_view unit) {
  for (const Unit& known : kUnits) {
    if (known.name == unit) return value * known.in_si;
  }
  return domain::InvalidField("unit", absl::StrCat("\"", unit, "\" is not known"));
}

absl::StatusOr<std::vector<store::PublishedMachine>> PublishedMachines() {
  std::vector<store::PublishedMachine> machines;
  for (const MachineText& described : PublishedTexts()) {
    absl::StatusOr<store::PublishedMachine> machine = Read(described.text);
    if (!machine.ok()) {
      return absl::Status(machine.status().code(),
                          absl::StrCat(described.file, ": ", machine.status().message()));
    }
    machines.push_back(*std::move(machine));
  }
  return machines;
}

}  // namespace cox::service
