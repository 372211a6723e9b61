#include "service/convert/profile.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/level.h"
#include "model/model.h"
#include "model/profile.h"
#include "service/convert/checks.h"
#include "service/convert/provenance.h"
#include "service/convert/timestamp.h"
#include "service/limits.h"
#include "service/names.h"

namespace cox::service {
namespace {

absl::string_view UnitOf(const domain::Parameter& parameter) {
  const absl::StatusOr<const model::Model*> model = model::FindModel(parameter.model);
  if (!model.ok()) return "";
  for (const model::ParameterSpec& spec : (*model)->parameters()) {
    if (spec.name == parameter.name && spec.level == parameter.level) {
      return spec.unit;
    }
  }
  return "";
}

}  // namespace

absl::StatusOr<store::ProfileRecord> ToRecord(absl::string_view machine,
                                              const v1::Profile& profile) {
  if (profile.parameters_size() > kMaxParameters) {
    return domain::InvalidField(
        "profile.parameters",
        absl::StrCat("at most ", kMaxParameters, "; there are ", profile.parameters_size()));
  }
  if (absl::Status checked = Text("profile.note", profile.note(), kMaxTextBytes, false);
      !checked.ok()) {
    return checked;
  }
  store::ProfileRecord record;
  record.machine = std::string(machine);
  record.note = profile.note();
  record.provenance = std::string(ProvenanceName(profile.provenance()));
  for (int i = 0; i < profile.parameters_size(); ++i) {
    const v1::Parameter& parameter = profile.parameters(i);
    if (absl::Status checked = Text(absl::StrCat("profile.parameters[", i, "].source"),
                                    parameter.source(), kMaxTextBytes, false);
        !checked.ok()) {
      return checked;
    }
    const auto level = domain::ParseLevel(parameter.level());
    if (!level.ok()) {
      return domain::WithFieldPrefix(level.status(), absl::StrCat("profile.parameters[", i, "]."));
    }
    record.parameters.push_back({.model = parameter.model(),
                                 .level = *level,
                                 .name = parameter.name(),
                                 .value = parameter.value(),
                                 .stderr_ = parameter.stderr(),
                                 .source = parameter.source(),
                                 .above = parameter.above(),
                                 .relation = parameter.relation()});
  }
  if (absl::Status checked = model::Validate({.parameters = record.parameters, .shape = {}});
      !checked.ok()) {
    return domain::WithFieldPrefix(checked, "profile.");
  }
  return record;
}

void FromRecord(const store::ProfileRecord& record, bool active, v1::Profile* profile) {
  profile->set_name(ProfileResourceName(record.machine, record.revision));
  profile->set_revision(record.revision);
  profile->set_provenance(ToProvenance(record.provenance));
  profile->set_note(record.note);
  profile->set_active(active);
  profile->set_observations_through_id(record.observations_through_id);
  *profile->mutable_create_time() = ToTimestamp(record.create_time_us);
  FromParameters(record.parameters, profile->mutable_parameters());
}

void FromParameters(absl::Span<const domain::Parameter> parameters,
                    google::protobuf::RepeatedPtrField<v1::Parameter>* messages) {
  for (const domain::Parameter& parameter : parameters) {
    v1::Parameter* out = messages->Add();
    out->set_model(parameter.model);
    const absl::string_view level = domain::LevelName(parameter.level);
    out->set_level(level.data(), level.size());
    out->set_name(parameter.name);
    out->set_value(parameter.value);
    out->set_stderr(parameter.stderr_);
    const absl::string_view unit = UnitOf(parameter);
    out->set_unit(unit.data(), unit.size());
    out->set_source(parameter.source);
    out->set_above(parameter.above);
    out->set_relation(parameter.relation);
  }
}

}  // namespace cox::service
