#include "agent/stream/wire/decisions_wire.h"

#include "agent/stream/wire/wire_format.h"

namespace cox::agent {
namespace {

bool DecodeRow(std::string_view bytes, DecisionRow* row) {
  Decoder decoder(bytes);
  while (decoder.Next()) {
    switch (decoder.field()) {
      case 1:
        row->collective = decoder.Text();
        break;
      case 2:
        row->from_block_bytes = decoder.Integer();
        break;
      case 3:
        row->algorithm = decoder.Text();
        break;
      case 4:
        row->library = decoder.Text();
        break;
      default:
        break;
    }
  }
  return decoder.ok();
}

}  // namespace

std::string EncodeDecisionsRequest(const DecisionsRequest& request) {
  Encoder out;
  out.Text(1, request.machine);
  out.Text(2, request.library);
  out.Integer(3, request.nodes);
  out.Integer(4, request.ppn);
  out.Text(5, request.etag);
  out.Integer(7, request.assume_commutative ? 1 : 0);
  out.Integer(8, request.assume_elements_at_least_ranks ? 1 : 0);
  out.Integer(9, request.assume_same_counts ? 1 : 0);
  out.Double(10, request.explore_ratio);
  out.Text(11, request.second_library);
  return out.out();
}

std::optional<DecisionsResponse> DecodeDecisionsResponse(std::string_view bytes) {
  DecisionsResponse response;
  Decoder decoder(bytes);
  while (decoder.Next()) {
    switch (decoder.field()) {
      case 1:
        if (response.rows.size() == DecisionsResponse::kMostRows) return std::nullopt;
        if (!DecodeRow(decoder.Text(), &response.rows.emplace_back())) return std::nullopt;
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
      default:
        break;
    }
  }
  if (!decoder.ok()) return std::nullopt;
  return response;
}

}  // namespace cox::agent
