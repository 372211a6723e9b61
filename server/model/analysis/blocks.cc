#include "model/analysis/blocks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "domain/errors.h"
#include "domain/words/counted.h"

namespace cox::model {
namespace {

using Kind = BlockGraph::Kind;

constexpr absl::string_view kNames[] = {"block", "serial", "parallel", "concurrent"};

bool IsAmount(double value) { return std::isfinite(value) && value >= 0; }

std::string Describe(const Block& block) {
  return absl::StrCat("(a = ", block.a_s, ", b = ", block.b_s_per_byte, ")");
}

double Sum(absl::Span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

Block Serial(absl::Span<const Block> parts, bool dependent) {
  Block whole;
  for (const Block& part : parts) {
    whole.a_s += part.a_s;
    whole.b_s_per_byte = dependent ? whole.b_s_per_byte + part.b_s_per_byte
                                   : std::max(whole.b_s_per_byte, part.b_s_per_byte);
  }
  return whole;
}

Block Parallel(absl::Span<const Block> parts, bool dependent) {
  Block whole = parts.front();
  double rate = 0;
  for (const Block& part : parts) {
    whole.a_s = std::min(whole.a_s, part.a_s);
    whole.b_s_per_byte = std::min(whole.b_s_per_byte, part.b_s_per_byte);
    rate += 1 / part.b_s_per_byte;  // infinite if a part takes no time
  }
  if (!dependent) whole.b_s_per_byte = 1 / rate;
  return whole;
}

class Reducer {
 public:
  // Reduces `graph`, whose field is `field`, into `block`.
  absl::Status Reduce(const BlockGraph& graph, const std::string& field, int depth, Block* block) {
    if (depth > kMaxBlockDepth) {
      return domain::InvalidField(
          field, absl::StrCat("is nested deeper than ", kMaxBlockDepth, " levels"));
    }
    absl::Status status = graph.kind == Kind::kBlock ? TakeBlock(graph, field, block)
                                                     : ReduceGroup(graph, field, depth, block);
    if (!status.ok()) return status;
    if (IsAmount(block->a_s) && IsAmount(block->b_s_per_byte)) return status;
    return domain::InvalidField(field, "comes to a block that is too large for a number");
  }

  std::vector<ReductionStep> TakeSteps() { return std::move(steps_); }

 private:
  static absl::Status TakeBlock(const BlockGraph& graph, const std::string& field, Block* block) {
    if (!graph.parts.empty()) return domain::InvalidField(field, "a block has no parts of its own");
    if (!IsAmount(graph.block.a_s)) {
      return domain::InvalidField(absl::StrCat(field, ".block.a_s"),
                                  absl::StrCat(graph.block.a_s, " is not a finite number >= 0"));
    }
    if (!IsAmount(graph.block.b_s_per_byte)) {
      return domain::InvalidField(
          absl::StrCat(field, ".block.b_s_per_byte"),
          absl::StrCat(graph.block.b_s_per_byte, " is not a finite number >= 0"));
    }
    *block = graph.block;
    return absl::OkStatus();
  }

  absl::Status ReduceGroup(const BlockGraph& graph, const std::string& field, int depth,
                           Block* block) {
    if (graph.parts.empty()) return domain::InvalidField(field, "a group needs at least one part");
    std::vector<Block> parts(graph.parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      absl::Status status =
          Reduce(graph.parts[i], absl::StrCat(field, ".parts[", i, "]"), depth + 1, &parts[i]);
      if (!status.ok()) return status;
    }
    if (graph.kind == Kind::kConcurrent) return Concurrent(graph, field, parts, block);
    *block = graph.kind == Kind::kSerial ? Serial(parts, graph.dependent)
                                         : Parallel(parts, graph.dependent);
    if (parts.size() > 1) {
      Record(graph.kind == Kind::kSerial ? 1 : 2,
             absl::StrCat(BlockKindName(graph.kind),
                          graph.dependent ? ", dependent: " : ", independent: "),
             graph, parts, *block);
    }
    return absl::OkStatus();
  }

  absl::Status Concurrent(const BlockGraph& graph, const std::string& field,
                          absl::Span<const Block> parts, Block* block) {
    if (parts.size() != 1) {
      return domain::InvalidField(field,
                                  "messages pass one part together: put several into a group");
    }
    double share = 0;  // all bytes over those of the followed message
    absl::Status status = ShareOf(graph, field, &share);
    if (!status.ok()) return status;
    const auto n = static_cast<double>(graph.messages_count);
    *block = {n * parts[0].a_s, share * parts[0].b_s_per_byte};
    if (graph.messages_count > 1) {
      Record(3, absl::StrCat(graph.messages_count, " messages at once through "), graph, parts,
             *block);
    }
    return absl::OkStatus();
  }

  static absl::Status ShareOf(const BlockGraph& graph, const std::string& field, double* share) {
    const std::vector<double>& sizes = graph.message_bytes;
    if (graph.messages_count < 1) {
      return domain::InvalidField(absl::StrCat(field, ".messages_count"),
                                  absl::StrCat(graph.messages_count, " is less than 1"));
    }
    *share = static_cast<double>(graph.messages_count);
    if (sizes.empty()) return absl::OkStatus();
    if (sizes.size() != static_cast<size_t>(graph.messages_count)) {
      return domain::InvalidField(
          absl::StrCat(field, ".message_bytes"),
          absl::StrCat("has ", domain::Counted(static_cast<int64_t>(sizes.size()), "size"), " for ",
                       domain::Counted(graph.messages_count, "message")));
    }
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (IsAmount(sizes[i])) continue;
      return domain::InvalidField(absl::StrCat(field, ".message_bytes[", i, "]"),
                                  absl::StrCat(sizes[i], " is not a size"));
    }
    if (graph.followed >= sizes.size()) {
      return domain::InvalidField(absl::StrCat(field, ".followed"),
                                  absl::StrCat("there is no message ", graph.followed));
    }
    const double sum = Sum(sizes);
    const double own = sizes[graph.followed];
    if (sum == 0) return absl::OkStatus();  // all sizes are zero
    if (own == 0) {
      return domain::InvalidField(absl::StrCat(field, ".followed"),
                                  "a message of no bytes among others has no time per byte");
    }
    *share = sum / own;
    return absl::OkStatus();
  }

  static std::string NameOf(const BlockGraph& graph) {
    return graph.name.empty() ? std::string(BlockKindName(graph.kind)) : graph.name;
  }

  void Record(int rule, std::string text, const BlockGraph& graph, absl::Span<const Block> parts,
              const Block& result) {
    for (size_t i = 0; i < parts.size(); ++i) {
      absl::StrAppend(&text, i == 0 ? "" : ", ", NameOf(graph.parts[i]), " ", Describe(parts[i]));
    }
    absl::StrAppend(&text, " -> ", NameOf(graph), " ", Describe(result));
    steps_.push_back({rule, std::move(text), result});
  }

  std::vector<ReductionStep> steps_;
};

absl::StatusOr<Reduction> ReduceField(const BlockGraph& graph, const std::string& field) {
  Reducer reducer;
  Reduction reduction;
  absl::Status status = reducer.Reduce(graph, field, 1, &reduction.block);
  if (!status.ok()) return status;
  reduction.steps = reducer.TakeSteps();
  return reduction;
}

}  // namespace

double BlockSeconds(const Block& block, double bytes) {
  const double bytes_s = block.b_s_per_byte * bytes;
  const double sum_s = block.a_s + bytes_s;
  return sum_s > 0 ? block.a_s * (block.a_s / sum_s) + bytes_s : 0;
}

double PacketSeconds(double packet_s, double byte_s, double packet_bytes, double bytes) {
  const double packets =
      std::isinf(packet_bytes) ? (bytes > 0 ? 1 : 0) : std::ceil(bytes / packet_bytes);
  return packet_s * packets + byte_s * bytes;
}

Block BlockOfPackets(double packet_s, double byte_s, double packet_bytes) {
  return {packet_s, packet_s / packet_bytes + byte_s};
}

double ConcurrentSeconds(const Block& block, absl::Span<const double> message_bytes) {
  if (message_bytes.empty()) return 0;
  const auto n = static_cast<double>(message_bytes.size());
  return BlockSeconds({n * block.a_s, block.b_s_per_byte}, Sum(message_bytes));
}

absl::string_view BlockKindName(BlockGraph::Kind kind) { return kNames[static_cast<size_t>(kind)]; }

absl::StatusOr<BlockGraph::Kind> ParseBlockKind(absl::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<Kind>(i);
  }
  return domain::InvalidField(
      "kind", absl::StrCat("\"", name, "\" is not one of block, serial, parallel, concurrent"));
}

absl::StatusOr<Reduction> Reduce(const BlockGraph& graph) { return ReduceField(graph, "graph"); }

absl::StatusOr<Reduction> ReduceLimits(const BlockGraph& graph, const BlockGraph& long_graph) {
  absl::StatusOr<Reduction> both = ReduceField(graph, "graph");
  if (!both.ok()) return both;
  absl::StatusOr<Reduction> long_messages = ReduceField(long_graph, "long_graph");
  if (!long_messages.ok()) return long_messages;
  std::move(long_messages->steps.begin(), long_messages->steps.end(),
            std::back_inserter(both->steps));
  const Block limits = {both->block.a_s, long_messages->block.b_s_per_byte};
  both->steps.push_back(
      {4, absl::StrCat("limits: a of short messages, b of long ones -> ", Describe(limits)),
       limits});
  both->block = limits;
  return both;
}

}  // namespace cox::model
