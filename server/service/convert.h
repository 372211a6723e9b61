// Between the three forms of one thing: the API's messages, the store's records, the domain's
// types. Everything that arrives is checked here; an error names the API's field.
#ifndef COX_SERVICE_CONVERT_H_
#define COX_SERVICE_CONVERT_H_

#include <google/protobuf/repeated_ptr_field.h>
#include <google/protobuf/timestamp.pb.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cox/v1/advice.pb.h"
#include "cox/v1/calibration.pb.h"
#include "cox/v1/machine.pb.h"
#include "cox/v1/observation.pb.h"
#include "learn/drift.h"
#include "learn/robust.h"
#include "learn/samples.h"
#include "model/profile.h"
#include "store/records.h"
#include "strategy/scenario.h"

namespace cox::service {

int64_t NowMicros();
// INVALID_ARGUMENT for an optional name that is too long or holds control characters.
absl::Status CheckName(absl::string_view field, const std::string& value);
google::protobuf::Timestamp ToTimestamp(int64_t time_us);

absl::StatusOr<store::MachineRecord> ToRecord(const v1::Machine& machine);
void FromRecord(const store::MachineRecord& record, v1::Machine* machine);

// Parameters, provenance and note; checked against the models.
absl::StatusOr<store::ProfileRecord> ToRecord(absl::string_view machine,
                                              const v1::Profile& profile);
void FromRecord(const store::ProfileRecord& record, bool active, v1::Profile* profile);
// With the models' units.
void FromRecords(const std::vector<store::ParameterRecord>& records,
                 google::protobuf::RepeatedPtrField<v1::Parameter>* parameters);

// A machine whose topology is not known counts as a crossbar.
model::Shape ShapeOf(const store::MachineRecord& record);

// Without the machine's shape, and with no more pieces than a profile may have now.
model::Profile ToProfile(const store::ProfileRecord& record);
std::vector<store::ParameterRecord> ToParameterRecords(const model::Profile& profile);

absl::StatusOr<store::ObservationRecord> ToRecord(const v1::Observation& observation,
                                                  int64_t now_us);
void FromRecord(const store::ObservationRecord& record, v1::Observation* observation);

// Where the times of a cell lie; cell.observation_count > 0.
learn::RobustLocation LocationOf(const store::Cell& cell);
// record.cell.observation_count > 0.
learn::Cell ToCell(const store::CellRecord& record);
learn::Cell ToCell(const store::ObservationRecord& record);

store::DriftScope ToRecord(const learn::DriftScope& scope);
store::DriftRecord ToRecord(absl::string_view machine, const learn::Drift& drift);
learn::DriftScope ToScope(const store::DriftScope& scope);
void FromRecord(const store::DriftRecord& record, v1::Drift* drift);

absl::StatusOr<learn::Sample> ToSample(const v1::Sample& sample);

strategy::Placement ToPlacement(v1::Placement placement);

}  // namespace cox::service

#endif  // COX_SERVICE_CONVERT_H_
