#include "agent/stream/wire/wire.h"

#include "agent/stream/wire/wire_format.h"

namespace cox::agent {
namespace {

std::string EncodeObservation(const Observation& observation) {
  Encoder timestamp;
  timestamp.Integer(1, observation.at_s);
  Encoder out;
  out.Text(1, observation.machine);
  out.Text(2, observation.library);
  out.Text(3, observation.collective);
  out.Text(4, observation.algorithm);
  out.Integer(5, observation.nodes);
  out.Integer(6, observation.ppn);
  out.Integer(7, observation.ranks);
  out.Integer(8, observation.block_bytes);
  out.Double(9, observation.time_s);
  out.Integer(10, observation.type_bytes);
  out.Integer(11, observation.count);
  out.Double(12, observation.stddev_s);
  out.Text(13, observation.statistic);
  out.Text(14, observation.run);
  out.Message(15, timestamp.out());
  return out.out();
}

std::string EncodeSketch(const domain::PatternSketch& sketch) {
  Encoder out;
  out.Text(1, sketch.key.machine);
  out.Text(2, sketch.key.application);
  out.Text(3, domain::kPatternKindNames[static_cast<size_t>(sketch.key.kind)]);
  out.Integer(4, sketch.key.nodes);
  out.Integer(5, sketch.key.ppn);
  out.Integer(6, sketch.key.ranks);
  out.Integer(7, sketch.phase_count);
  out.Integer(8, sketch.sampled_count);
  out.Integer(9, sketch.repeat_count);
  out.Double(10, sketch.total_bytes);
  out.Integer(11, sketch.timed_count);
  out.Double(12, sketch.inside_s);
  out.Double(13, sketch.between_s);
  out.Integers(14, sketch.destination_counts);
  out.Integers(15, sketch.size_counts);
  out.Integers(16, sketch.distance_counts);
  return out.out();
}

// A ReportObservationsResponse.
bool DecodeResult(std::string_view bytes, Response& response) {
  Decoder decoder(bytes);
  while (decoder.Next()) {
    if (decoder.field() == 4) response.refused_count = decoder.Integer();
    if (decoder.field() == 5) response.refused_reason = decoder.Text();
  }
  return decoder.ok();
}

}  // namespace

std::string EncodeRequest(const Batch& batch) {
  Encoder report;
  report.Text(1, batch.job);
  report.Integer(2, batch.sequence);
  for (const Observation& observation : batch.observations) {
    report.Message(3, EncodeObservation(observation));
  }
  report.Integer(4, batch.dropped_count);
  report.Integer(5, 1);  // create_machines
  report.Text(7, batch.source);
  report.Integer(8, static_cast<int64_t>(batch.measurement));
  for (const domain::PatternSketch& sketch : batch.sketches) {
    report.Message(9, EncodeSketch(sketch));
  }
  Encoder request;
  request.Message(1, report.out());
  return request.out();
}

std::optional<Response> DecodeResponse(std::string_view bytes) {
  Response response;
  Decoder decoder(bytes);
  while (decoder.Next()) {
    switch (decoder.field()) {
      case 1:
        response.sequence = decoder.Integer();
        break;
      case 2:
        if (!DecodeResult(decoder.Text(), response)) return std::nullopt;
        break;
      case 3:
        response.error_code = decoder.Integer();
        break;
      case 4:
        response.error_message = decoder.Text();
        break;
      case 5:
        response.retry_delay_s = decoder.Double();
        break;
      default:
        break;
    }
  }
  if (!decoder.ok()) return std::nullopt;
  return response;
}

}  // namespace cox::agent
