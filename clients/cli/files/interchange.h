// The interchange files' rows as API messages, and back: observations, point-to-point samples,
// batch questions. Each Parse function reads the file's current record and answers INVALID_ARGUMENT
// (FILE:LINE:COLUMN: rule) for a bad one. Does not talk to the daemon. Any thread.
#ifndef COX_CLI_FILES_INTERCHANGE_H_
#define COX_CLI_FILES_INTERCHANGE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "cli/files/record_file.h"

namespace cox::v1 {
class MeasurementCandidate;
class Observation;
class RecommendRequest;
class RecommendResponse;
class Sample;
}  // namespace cox::v1

namespace cox::cli {

absl::Span<const ColumnSpec> ObservationColumns();
absl::Status ParseObservation(const RecordFile& file, v1::Observation& observation);
// The header line, and a row for each observation, with line breaks.
std::string ObservationHeader();
std::string ObservationRow(const v1::Observation& observation);

absl::Span<const ColumnSpec> SampleColumns();
// Rows of another machine than `machine` (bare) are bad.
absl::Status ParseSample(const RecordFile& file, absl::string_view machine, v1::Sample& sample);

absl::Span<const ColumnSpec> QuestionColumns();
absl::Status ParseQuestion(const RecordFile& file, v1::RecommendRequest& question);
absl::Span<const ColumnSpec> CandidateColumns();
// Rows of another machine (bare) or library are bad.
absl::Status ParseCandidate(const RecordFile& file, absl::string_view machine,
                            absl::string_view library, v1::MeasurementCandidate& candidate);
// Appends the answer as one JSON document, without a line break: algorithm, native_id, strategy,
// predicted_time_s, interval_s, default_time_s, model, reason, evidence, caveats, and alternatives
// if it was asked for them; nothing else. What is not known is null (interval_s: []). A question
// without an answer has a null algorithm and says why in `reason`.
void AppendBatchAnswer(const v1::RecommendResponse& answer, std::string& out);

}  // namespace cox::cli

#endif  // COX_CLI_FILES_INTERCHANGE_H_
