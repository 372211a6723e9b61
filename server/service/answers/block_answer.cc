#include "service/answers/block_answer.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "domain/errors.h"
#include "domain/limits.h"
#include "model/analysis/blocks.h"
#include "service/limits.h"
#include "strategy/scenario.h"

namespace cox::service {
namespace {

using Kind = model::BlockGraph::Kind;

absl::StatusOr<Kind> ToKind(v1::BlockGraph::Kind kind, const std::string& field) {
  switch (kind) {
    case v1::BlockGraph::KIND_UNSPECIFIED:
    case v1::BlockGraph::KIND_BLOCK:
      return Kind::kBlock;
    case v1::BlockGraph::KIND_SERIAL:
      return Kind::kSerial;
    case v1::BlockGraph::KIND_PARALLEL:
      return Kind::kParallel;
    case v1::BlockGraph::KIND_CONCURRENT:
      return Kind::kConcurrent;
    default:
      return domain::InvalidField(absl::StrCat(field, ".kind"),
                                  absl::StrCat(static_cast<int>(kind), " is not a kind of block"));
  }
}

// Takes a graph apart; counts its nodes.
class GraphReader {
 public:
  absl::Status Read(const v1::BlockGraph& message, const std::string& field, int depth,
                    model::BlockGraph* graph) {
    if (depth > model::kMaxBlockDepth) {
      return domain::InvalidField(
          field, absl::StrCat("is nested deeper than ", model::kMaxBlockDepth, " levels"));
    }
    if (++nodes_ > kMaxBlocks) {
      return domain::InvalidField("graph", absl::StrCat("has more than ", kMaxBlocks, " blocks"));
    }
    const auto kind = ToKind(message.kind(), field);
    if (!kind.ok()) return kind.status();
    if (message.followed() < 0) {
      return domain::InvalidField(absl::StrCat(field, ".followed"),
                                  absl::StrCat("there is no message ", message.followed()));
    }
    graph->kind = *kind;
    graph->name = message.name();
    graph->block = {message.a_s(), message.b_s_per_byte()};
    graph->dependent = message.dependent();
    graph->message_bytes.assign(message.message_bytes().begin(), message.message_bytes().end());
    graph->messages_count =
        message.message_count() == 0 ? message.message_bytes_size() : message.message_count();
    graph->followed = static_cast<size_t>(message.followed());
    graph->parts.resize(static_cast<size_t>(message.parts_size()));
    for (int i = 0; i < message.parts_size(); ++i) {
      absl::Status read = Read(message.parts(i), absl::StrCat(field, ".parts[", i, "]"), depth + 1,
                               &graph->parts[static_cast<size_t>(i)]);
      if (!read.ok()) return read;
    }
    return absl::OkStatus();
  }

 private:
  int nodes_ = 0;
};

// The domain's names of fields as the API has them.
absl::Status WithGraphField(const absl::Status& status) {
  const std::string field = domain::FieldOf(status);
  if (field.empty()) return status;
  absl::string_view rule = status.message();
  rule.remove_prefix(field.size() + 2);
  return domain::InvalidField(
      absl::StrReplaceAll(field, {{".block.", "."}, {".messages_count", ".message_count"}}), rule);
}

absl::Status CheckSizes(const v1::ReduceBlocksRequest& request) {
  if (request.block_bytes_size() > kMaxBlockSizes) {
    return domain::InvalidField(
        "block_bytes",
        absl::StrCat("at most ", kMaxBlockSizes, "; there are ", request.block_bytes_size()));
  }
  for (int i = 0; i < request.block_bytes_size(); ++i) {
    const int64_t bytes = request.block_bytes(i);
    if (bytes >= 0 && bytes <= domain::kMaxBlockBytes) continue;
    return domain::InvalidField(
        absl::StrCat("block_bytes[", i, "]"),
        absl::StrCat(bytes, " is not between 0 and ", domain::kMaxBlockBytes));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AnswerReduceBlocks(const v1::ReduceBlocksRequest& request,
                                v1::ReduceBlocksResponse* response) {
  if (!request.has_graph()) return domain::InvalidField("graph", "is required");
  if (absl::Status valid = CheckSizes(request); !valid.ok()) return valid;
  model::BlockGraph graph;
  GraphReader reader;
  if (absl::Status read = reader.Read(request.graph(), "graph", 1, &graph); !read.ok()) {
    return read;
  }
  model::BlockGraph long_graph;
  if (request.has_long_graph()) {
    absl::Status read = reader.Read(request.long_graph(), "long_graph", 1, &long_graph);
    if (!read.ok()) return read;
  }
  const auto reduction =
      request.has_long_graph() ? model::ReduceLimits(graph, long_graph) : model::Reduce(graph);
  if (!reduction.ok()) return WithGraphField(reduction.status());
  response->set_a_s(reduction->block.a_s);
  response->set_b_s_per_byte(reduction->block.b_s_per_byte);
  for (const model::ReductionStep& step : reduction->steps) {
    v1::ReductionStep* out = response->add_steps();
    out->set_rule(step.rule);
    out->set_text(step.text);
    out->set_a_s(step.result.a_s);
    out->set_b_s_per_byte(step.result.b_s_per_byte);
  }
  for (const int64_t bytes : request.block_bytes()) {
    response->add_time_s(model::BlockSeconds(reduction->block, static_cast<double>(bytes)));
  }
  return absl::OkStatus();
}

}  // namespace cox::service
