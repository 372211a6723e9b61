#include "agent/stream/wire/tuning_wire.h"

#include "agent/stream/wire/wire_format.h"

namespace cox::agent {
namespace {

bool DecodeRow(std::string_view bytes, TuningRow* row) {
  Decoder decoder(bytes);
  while (decoder.Next()) {
    switch (decoder.field()) {
      case 1:
        row->collective = decoder.Text();
        break;
      case 2:
        row->block_bytes = decoder.Integer();
        break;
      case 3:
        row->algorithm = decoder.Text();
        break;
      case 7:
        row->library = decoder.Text();
        break;
      default:
        break;
    }
  }
  return decoder.ok();
}

}  // namespace

std::string EncodeTuningRequest(const TuningRequest& request) {
  constexpr int64_t kFile = 1;  // TUNING_FORMAT_FILE
  Encoder out;
  out.Text(1, request.machine);
  out.Text(2, request.library);
  out.Integer(3, request.nodes);
  out.Integer(4, request.ppn);
  out.Integer(5, kFile);
  out.Integer(6, request.assume_commutative ? 1 : 0);
  out.Text(7, request.etag);
  out.Text(8, "COX_APPLY");
  out.Integer(11, request.assume_elements_at_least_ranks ? 1 : 0);
  out.Double(12, request.explore_ratio);
  out.Text(13, request.second_library);
  out.Integer(14, 1);
  out.Integer(15, request.assume_same_counts ? 1 : 0);
  return out.out();
}

std::optional<TuningResponse> DecodeTuningResponse(std::string_view bytes) {
  TuningResponse response;
  Decoder decoder(bytes);
  while (decoder.Next()) {
    switch (decoder.field()) {
      case 1:
        response.text_bytes = decoder.Text().size();
        break;
      case 2:
        response.etag = decoder.Text();
        break;
      case 3:
        response.not_modified = decoder.Integer() != 0;
        break;
      case 4:
        response.profile_revision = decoder.Integer();
        break;
      case 5:
        if (!DecodeRow(decoder.Text(), &response.rows.emplace_back())) return std::nullopt;
        break;
      default:
        break;
    }
  }
  if (!decoder.ok()) return std::nullopt;
  return response;
}

}  // namespace cox::agent
