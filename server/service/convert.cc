#include "service/convert.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "model/errors.h"
#include "model/model.h"
#include "service/limits.h"
#include "service/names.h"

namespace cox::service {
namespace {

struct ProvenanceName {
  v1::Provenance value;
  absl::string_view name;
};
constexpr ProvenanceName kProvenances[] = {
    {v1::PROVENANCE_PUBLISHED, "published"}, {v1::PROVENANCE_CALIBRATED, "calibrated"},
    {v1::PROVENANCE_REFINED, "refined"},     {v1::PROVENANCE_IMPORTED, "imported"},
    {v1::PROVENANCE_EDITED, "edited"},
};

absl::Status InRange(absl::string_view field, int64_t value, int64_t low, int64_t high) {
  if (value >= low && value <= high) return absl::OkStatus();
  return model::InvalidField(field,
                             absl::StrCat("must be in ", low, "..", high, "; it is ", value));
}

absl::Status Text(absl::string_view field, const std::string& value, size_t limit, bool required) {
  if (required && value.empty()) return model::InvalidField(field, "is required");
  if (value.size() > limit) {
    return model::InvalidField(
        field, absl::StrCat("must be at most ", limit, " bytes; it has ", value.size()));
  }
  for (const char c : value) {
    if (static_cast<unsigned char>(c) < 0x20) {
      return model::InvalidField(field, "must not hold control characters");
    }
  }
  return absl::OkStatus();
}

absl::Status PositiveSeconds(absl::string_view field, double value) {
  if (std::isfinite(value) && value > 0) return absl::OkStatus();
  return model::InvalidField(field,
                             absl::StrCat("must be a finite number of seconds > 0; it is ", value));
}

// The first error of several checks.
absl::Status FirstOf(std::initializer_list<absl::Status> checks) {
  for (const absl::Status& check : checks) {
    if (!check.ok()) return check;
  }
  return absl::OkStatus();
}

absl::string_view UnitOf(const store::ParameterRecord& parameter) {
  const absl::StatusOr<const model::Model*> model = model::FindModel(parameter.model);
  if (!model.ok()) return "";
  for (const model::ParameterSpec& spec : (*model)->parameters()) {
    if (spec.name == parameter.name && model::LevelName(spec.level) == parameter.level) {
      return spec.unit;
    }
  }
  return "";
}

model::Profile AsStored(const store::ProfileRecord& record) {
  model::Profile profile;
  for (const store::ParameterRecord& parameter : record.parameters) {
    const absl::StatusOr<model::Level> level = model::ParseLevel(parameter.level);
    if (!level.ok()) continue;  // refused before it was stored
    profile.parameters.push_back({.model = parameter.model,
                                  .level = *level,
                                  .name = parameter.name,
                                  .value = parameter.value,
                                  .stderr_ = parameter.stderr_,
                                  .source = parameter.source,
                                  .above = parameter.above,
                                  .relation = parameter.relation});
  }
  return profile;
}

}  // namespace

absl::Status CheckName(absl::string_view field, const std::string& value) {
  return Text(field, value, kMaxNameBytes, false);
}

int64_t NowMicros() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

google::protobuf::Timestamp ToTimestamp(int64_t time_us) {
  google::protobuf::Timestamp timestamp;
  int64_t seconds = time_us / 1'000'000;
  int64_t micros = time_us % 1'000'000;
  if (micros < 0) {
    micros += 1'000'000;
    --seconds;
  }
  timestamp.set_seconds(seconds);
  timestamp.set_nanos(static_cast<int32_t>(micros * 1'000));
  return timestamp;
}

absl::StatusOr<store::MachineRecord> ToRecord(const v1::Machine& machine) {
  const absl::StatusOr<absl::string_view> name = ParseMachine(machine.name(), "machine.name");
  if (!name.ok()) return name.status();
  store::MachineRecord record;
  record.name = std::string(*name);
  record.nodes = machine.nodes();
  record.cores_per_node = machine.cores_per_node();
  record.topology_kind = machine.topology().kind();
  if (absl::Status checked = FirstOf(
          {InRange("machine.nodes", record.nodes, 1, strategy::kMaxRanks),
           InRange("machine.cores_per_node", record.cores_per_node, 1, strategy::kMaxRanks)});
      !checked.ok()) {
    return checked;
  }
  if (!record.topology_kind.empty()) {
    const auto topology = model::ParseTopology(record.topology_kind);
    if (!topology.ok()) return model::WithFieldPrefix(topology.status(), "machine.");
  }
  for (int i = 0; i < machine.topology().dims_size(); ++i) {
    if (absl::Status checked = InRange(absl::StrCat("machine.topology.dims[", i, "]"),
                                       machine.topology().dims(i), 1, strategy::kMaxRanks);
        !checked.ok()) {
      return checked;
    }
  }
  record.topology_dims = absl::StrJoin(machine.topology().dims(), "x");
  return record;
}

void FromRecord(const store::MachineRecord& record, v1::Machine* machine) {
  machine->set_name(MachineName(record.name));
  machine->set_nodes(record.nodes);
  machine->set_cores_per_node(record.cores_per_node);
  if (!record.topology_kind.empty()) machine->mutable_topology()->set_kind(record.topology_kind);
  for (const absl::string_view dim : absl::StrSplit(record.topology_dims, 'x', absl::SkipEmpty())) {
    int64_t extent = 0;
    if (absl::SimpleAtoi(dim, &extent)) machine->mutable_topology()->add_dims(extent);
  }
  *machine->mutable_create_time() = ToTimestamp(record.create_time_us);
  machine->set_pinned_revision(record.pinned_revision);
  for (const ProvenanceName& row : kProvenances) {
    if (row.name == record.provenance) machine->set_provenance(row.value);
  }
}

absl::StatusOr<store::ProfileRecord> ToRecord(absl::string_view machine,
                                              const v1::Profile& profile) {
  if (profile.parameters_size() > kMaxParameters) {
    return model::InvalidField(
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
  record.provenance = "edited";
  for (const ProvenanceName& row : kProvenances) {
    if (row.value == profile.provenance()) record.provenance = std::string(row.name);
  }
  for (int i = 0; i < profile.parameters_size(); ++i) {
    const v1::Parameter& parameter = profile.parameters(i);
    if (absl::Status checked = Text(absl::StrCat("profile.parameters[", i, "].source"),
                                    parameter.source(), kMaxTextBytes, false);
        !checked.ok()) {
      return checked;
    }
    record.parameters.push_back({.model = parameter.model(),
                                 .level = parameter.level(),
                                 .name = parameter.name(),
                                 .value = parameter.value(),
                                 .stderr_ = parameter.stderr(),
                                 .source = parameter.source(),
                                 .above = parameter.above(),
                                 .relation = parameter.relation()});
    if (const auto level = model::ParseLevel(parameter.level()); !level.ok()) {
      return model::WithFieldPrefix(level.status(), absl::StrCat("profile.parameters[", i, "]."));
    }
  }
  if (absl::Status checked = model::Validate(AsStored(record)); !checked.ok()) {
    return model::WithFieldPrefix(checked, "profile.");
  }
  return record;
}

void FromRecord(const store::ProfileRecord& record, bool active, v1::Profile* profile) {
  profile->set_name(ProfileResourceName(record.machine, record.revision));
  profile->set_revision(record.revision);
  for (const ProvenanceName& row : kProvenances) {
    if (row.name == record.provenance) profile->set_provenance(row.value);
  }
  profile->set_note(record.note);
  profile->set_active(active);
  profile->set_observations_through_id(record.observations_through_id);
  *profile->mutable_create_time() = ToTimestamp(record.create_time_us);
  FromRecords(record.parameters, profile->mutable_parameters());
}

void FromRecords(const std::vector<store::ParameterRecord>& records,
                 google::protobuf::RepeatedPtrField<v1::Parameter>* parameters) {
  for (const store::ParameterRecord& parameter : records) {
    v1::Parameter* out = parameters->Add();
    out->set_model(parameter.model);
    out->set_level(parameter.level);
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

model::Shape ShapeOf(const store::MachineRecord& record) {
  model::Shape shape;
  // What was stored was a topology, or none.
  if (const auto topology = model::ParseTopology(record.topology_kind); topology.ok()) {
    shape.topology = *topology;
  }
  for (const absl::string_view dim : absl::StrSplit(record.topology_dims, 'x', absl::SkipEmpty())) {
    int64_t extent = 0;
    if (absl::SimpleAtoi(dim, &extent)) shape.dims.push_back(extent);
  }
  return shape;
}

model::Profile ToProfile(const store::ProfileRecord& record) {
  model::Profile profile = AsStored(record);
  model::LimitPieces(&profile);
  return profile;
}

std::vector<store::ParameterRecord> ToParameterRecords(const model::Profile& profile) {
  std::vector<store::ParameterRecord> records;
  records.reserve(profile.parameters.size());
  for (const model::Parameter& parameter : profile.parameters) {
    records.push_back({.model = parameter.model,
                       .level = std::string(model::LevelName(parameter.level)),
                       .name = parameter.name,
                       .value = parameter.value,
                       .stderr_ = parameter.stderr_,
                       .source = parameter.source,
                       .above = parameter.above,
                       .relation = parameter.relation});
  }
  return records;
}

absl::StatusOr<store::ObservationRecord> ToRecord(const v1::Observation& observation,
                                                  int64_t now_us) {
  const absl::StatusOr<absl::string_view> machine = ParseMachine(observation.machine(), "machine");
  if (!machine.ok()) return machine.status();
  store::ObservationRecord record;
  store::ScenarioKey& key = record.scenario;
  key.machine = std::string(*machine);
  key.library = observation.library();
  key.collective = observation.collective();
  key.algorithm = observation.algorithm();
  key.nodes = observation.nodes();
  key.ppn = observation.ppn();
  key.ranks = observation.ranks();
  key.block_bytes = observation.block_bytes();
  key.type_bytes = observation.type_bytes() == 0 ? 4 : observation.type_bytes();
  record.time_s = observation.time_s();
  record.count = observation.count() == 0 ? 1 : observation.count();
  record.stddev_s = observation.stddev_s();
  record.statistic = observation.statistic();
  record.run = observation.run();
  if (absl::Status checked = FirstOf({
          Text("library", key.library, kMaxLibraryBytes, true),
          Text("collective", key.collective, kMaxLibraryBytes, true),
          Text("algorithm", key.algorithm, kMaxNameBytes, true),
          Text("run", record.run, kMaxNameBytes, false),
          InRange("nodes", key.nodes, 1, strategy::kMaxRanks),
          InRange("ppn", key.ppn, 1, strategy::kMaxRanks),
          InRange("ranks", key.ranks, 1, strategy::kMaxRanks),
          InRange("block_bytes", key.block_bytes, 0, strategy::kMaxBlockBytes),
          InRange("type_bytes", key.type_bytes, 1, strategy::kMaxBlockBytes),
          InRange("count", record.count, 1, strategy::kMaxBlockBytes),
          InRange("at.seconds", observation.at().seconds(), 0, 253'402'300'799),
          InRange("at.nanos", observation.at().nanos(), 0, 999'999'999),
          PositiveSeconds("time_s", record.time_s),
      });
      !checked.ok()) {
    return checked;
  }
  if (key.ranks > key.nodes * key.ppn) {
    return model::InvalidField(
        "ranks",
        absl::StrCat("must be at most nodes * ppn = ", key.nodes * key.ppn, "; it is ", key.ranks));
  }
  if (!std::isfinite(record.stddev_s) || record.stddev_s < 0) {
    return model::InvalidField("stddev_s", "must be a finite number of seconds >= 0");
  }
  if (!record.statistic.empty() && record.statistic != "mean" && record.statistic != "median" &&
      record.statistic != "min") {
    return model::InvalidField("statistic", "must be mean, median or min");
  }
  record.at_us = observation.has_at()
                     ? observation.at().seconds() * 1'000'000 + observation.at().nanos() / 1'000
                     : now_us;
  return record;
}

void FromRecord(const store::ObservationRecord& record, v1::Observation* observation) {
  const store::ScenarioKey& key = record.scenario;
  observation->set_machine(key.machine);
  observation->set_library(key.library);
  observation->set_collective(key.collective);
  observation->set_algorithm(key.algorithm);
  observation->set_nodes(key.nodes);
  observation->set_ppn(key.ppn);
  observation->set_ranks(key.ranks);
  observation->set_block_bytes(key.block_bytes);
  observation->set_type_bytes(key.type_bytes);
  observation->set_time_s(record.time_s);
  observation->set_count(record.count);
  observation->set_stddev_s(record.stddev_s);
  observation->set_statistic(record.statistic);
  observation->set_run(record.run);
  observation->set_job(record.job);
  observation->set_source(record.source);
  observation->set_measurement(record.kind == store::CellKind::kJob ? v1::MEASUREMENT_JOB
                                                                    : v1::MEASUREMENT_BENCHMARK);
  observation->set_id(record.id);
  *observation->mutable_at() = ToTimestamp(record.at_us);
}

namespace {

learn::Cell CellOf(const store::ScenarioKey& key, store::CellKind kind) {
  learn::Cell cell;
  cell.library = key.library;
  cell.collective = key.collective;
  cell.algorithm = key.algorithm;
  cell.nodes = key.nodes;
  cell.ppn = key.ppn;
  cell.ranks = key.ranks;
  cell.block_bytes = key.block_bytes;
  cell.type_bytes = key.type_bytes;
  cell.kind = kind == store::CellKind::kJob ? learn::CellKind::kJob : learn::CellKind::kBenchmark;
  return cell;
}

}  // namespace

learn::RobustLocation LocationOf(const store::Cell& cell) {
  std::vector<learn::LogBin> bins;
  bins.reserve(cell.bins.size());
  for (const store::CellBin& bin : cell.bins) {
    const auto count = static_cast<double>(bin.count);
    const double offset = static_cast<double>(bin.offset_sum) / count;
    const double squares = static_cast<double>(bin.square_sum) - offset * offset * count;
    bins.push_back({.log_time = static_cast<double>(bin.index) / store::kBinsPerE +
                                offset / store::kOffsetsPerE,
                    .count = count,
                    .squares = std::max(0.0, squares) /
                               (static_cast<double>(store::kOffsetsPerE) * store::kOffsetsPerE)});
  }
  return learn::LocationOf(bins);
}

learn::Cell ToCell(const store::CellRecord& record) {
  learn::Cell cell = CellOf(record.scenario, record.kind);
  const learn::RobustLocation location = LocationOf(record.cell);
  cell.weight = static_cast<double>(record.cell.weight) * location.share;
  cell.observations = static_cast<double>(record.cell.observation_count) * location.share;
  cell.mean_log_time = location.log_time;
  cell.variance_log_time = location.variance;
  return cell;
}

learn::Cell ToCell(const store::ObservationRecord& record) {
  learn::Cell cell = CellOf(record.scenario, record.kind);
  cell.weight = static_cast<double>(record.count);
  cell.mean_log_time = std::log(record.time_s);
  return cell;
}

store::DriftScope ToRecord(const learn::DriftScope& scope) {
  return {.library = scope.library,
          .collective = scope.collective,
          .level = scope.in_network ? "network" : "node",
          .min_block_bytes = scope.min_block_bytes,
          .max_block_bytes = scope.max_block_bytes};
}

store::DriftRecord ToRecord(absl::string_view machine, const learn::Drift& drift) {
  store::DriftRecord record;
  record.machine = std::string(machine);
  record.scope = ToRecord(drift.scope);
  record.first_id = drift.first_id;
  record.last_id = drift.last_id;
  record.log_factor = drift.log_factor;
  record.observation_count = drift.observation_count;
  for (const learn::DriftEvidence& evidence : drift.evidence) {
    const learn::Cell& cell = evidence.cell;
    record.evidence.push_back({.scenario = {.machine = record.machine,
                                            .library = cell.library,
                                            .collective = cell.collective,
                                            .algorithm = cell.algorithm,
                                            .nodes = cell.nodes,
                                            .ppn = cell.ppn,
                                            .ranks = cell.ranks,
                                            .block_bytes = cell.block_bytes,
                                            .type_bytes = cell.type_bytes},
                               .log_factor = evidence.log_factor,
                               .observation_count = evidence.observation_count});
  }
  return record;
}

learn::DriftScope ToScope(const store::DriftScope& scope) {
  return {.library = scope.library,
          .collective = scope.collective,
          .in_network = scope.level == "network",
          .min_block_bytes = scope.min_block_bytes,
          .max_block_bytes = scope.max_block_bytes};
}

void FromRecord(const store::DriftRecord& record, v1::Drift* drift) {
  drift->set_id(record.id);
  drift->set_library(record.scope.library);
  drift->set_collective(record.scope.collective);
  drift->set_level(record.scope.level);
  drift->set_min_block_bytes(record.scope.min_block_bytes);
  drift->set_max_block_bytes(record.scope.max_block_bytes);
  drift->set_first_observation_id(record.first_id);
  drift->set_last_observation_id(record.last_id);
  drift->set_factor(std::exp(record.log_factor));
  drift->set_observation_count(record.observation_count);
  *drift->mutable_create_time() = ToTimestamp(record.create_time_us);
  for (const store::DriftEvidence& evidence : record.evidence) {
    v1::DriftEvidence* out = drift->add_evidence();
    out->set_library(evidence.scenario.library);
    out->set_collective(evidence.scenario.collective);
    out->set_algorithm(evidence.scenario.algorithm);
    out->set_nodes(evidence.scenario.nodes);
    out->set_ppn(evidence.scenario.ppn);
    out->set_ranks(evidence.scenario.ranks);
    out->set_block_bytes(evidence.scenario.block_bytes);
    out->set_factor(std::exp(evidence.log_factor));
    out->set_observation_count(evidence.observation_count);
  }
}

absl::StatusOr<learn::Sample> ToSample(const v1::Sample& sample) {
  const absl::StatusOr<model::Level> level =
      model::ParseLevel(sample.level() == "socket" ? "node" : sample.level());
  if (!level.ok()) return level.status();
  if (absl::Status checked = FirstOf({
          Text("kind", sample.kind(), kMaxNameBytes, true),
          Text("pattern", sample.pattern(), kMaxNameBytes, false),
          InRange("pairs", sample.pairs(), 0, strategy::kMaxRanks),
          InRange("block_bytes", sample.block_bytes(), 0, strategy::kMaxBlockBytes),
          PositiveSeconds("time_s", sample.time_s()),
          InRange("ranks", sample.ranks(), 0, strategy::kMaxRanks),
          InRange("messages", sample.messages(), 0, strategy::kMaxRanks),
          InRange("senders", sample.senders(), 0, strategy::kMaxRanks),
      });
      !checked.ok()) {
    return checked;
  }
  return learn::Sample{.kind = sample.kind(),
                       .level = *level,
                       .pattern = sample.pattern(),
                       .pairs = std::max<int64_t>(1, sample.pairs()),
                       .block_bytes = sample.block_bytes(),
                       .time_s = sample.time_s(),
                       .ranks = sample.ranks(),
                       .messages = sample.messages(),
                       .senders = sample.senders()};
}

strategy::Placement ToPlacement(v1::Placement placement) {
  return placement == v1::PLACEMENT_CYCLIC ? strategy::Placement::kCyclic
                                           : strategy::Placement::kBlock;
}

}  // namespace cox::service
