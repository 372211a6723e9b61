// Communication blocks of the hyperbolic model, and the rules that reduce a graph of them to one. A
// block serves a message of x bytes in T(x; a, b) = a^2 / (a + b x) + b x: a for a short message, b
// per byte for a long one.
//
// Source: I. Stoica, F. Sultan, D. Keyes, Evaluating the hyperbolic model on a variety of
// architectures, 1996: Eqs. (1), (2), rules 1 to 4. Pure functions, any thread. Times are in
// seconds; any other unit works if all values use it.
#ifndef COX_MODEL_ANALYSIS_BLOCKS_H_
#define COX_MODEL_ANALYSIS_BLOCKS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace cox::model {

struct Block {
  double a_s = 0;           // service time of the shortest message, >= 0
  double b_s_per_byte = 0;  // service time per byte of the longest, >= 0
  friend bool operator==(const Block&, const Block&) = default;
};

// T(x; a, b), Eq. (2). a = 0: b x; b = 0: a; x = 0: a.
double BlockSeconds(const Block& block, double bytes);

// t(x; a, m, p) = a ceil(x / p) + m x, Eq. (1): packets of at most packet_bytes > 0 (infinity: one
// packet); each packet costs a, each byte m. No bytes cost nothing here; T costs a.
double PacketSeconds(double packet_s, double byte_s, double packet_bytes, double bytes);

// The block (a, a / p + m) that approximates those packets.
Block BlockOfPackets(double packet_s, double byte_s, double packet_bytes);

// Rule 3: the time until one block has served all these messages: T(sum; n a, b). No messages: 0.
// No messages: 0.
double ConcurrentSeconds(const Block& block, absl::Span<const double> message_bytes);

// A graph of blocks. Groups nest; kMaxBlockDepth levels at most, the outermost included.
struct BlockGraph {
  enum class Kind {
    kBlock,       // a block, given as (a, b)
    kSerial,      // rule 1: every packet passes all parts
    kParallel,    // rule 2: a packet may take any part
    kConcurrent,  // rule 3: several messages at once through its one part
  };
  Kind kind = Kind::kBlock;
  std::string name;        // for the steps; "" takes the name of its kind
  Block block;             // kBlock
  bool dependent = false;  // kSerial, kParallel: the parts share a resource, such as a processor
  std::vector<BlockGraph> parts;
  // kConcurrent: the number of messages. If their sizes differ: all sizes, and the index of the
  // followed message. Without sizes all messages are equal.
  int64_t messages_count = 1;
  std::vector<double> message_bytes;
  size_t followed = 0;
};
inline constexpr int kMaxBlockDepth = 64;

// "block", "serial", "parallel", "concurrent", and back (INVALID_ARGUMENT, field "kind").
absl::string_view BlockKindName(BlockGraph::Kind kind);
absl::StatusOr<BlockGraph::Kind> ParseBlockKind(absl::string_view name);

// One application of a rule.
struct ReductionStep {
  int rule = 0;      // 1 to 4, as the paper numbers them
  std::string text;  // for people: parts, rule and result
  Block result;
};

struct Reduction {
  Block block;                       // the whole graph as one block
  std::vector<ReductionStep> steps;  // innermost first; empty if the graph is one block
};

// Reduces a graph:
//   1  serial      a = sum a_i        b = max b_i, dependent: sum b_i
//   2  parallel    a = min a_i        b = 1 / sum (1 / b_i) (0 if some b_i is), dependent: min b_i
//   3  concurrent  a = n a            b = b (sum x_j) / x_i for message i; n b where all are alike
//
// INVALID_ARGUMENT with the field ("graph.parts[1].block.a_s") for: a group without parts; a block
// with parts; a, b or a size that is negative or not finite; concurrency of more or fewer than one
// part; a message count < 1 or different from the number of sizes; a followed message that does not
// exist, or without bytes where others have some (use ConcurrentSeconds()); a graph too deep; a
// result too large for a double.
absl::StatusOr<Reduction> Reduce(const BlockGraph& graph);

// Rule 4, where messages take other ways the longer they are: a is that of the graph of the
// shortest messages, b that of the graph of the longest ones. The steps are those of the first
// graph, those of the second, and the rule's own. Fails as Reduce(), with the fields of the second
// graph under "long_graph".
absl::StatusOr<Reduction> ReduceLimits(const BlockGraph& graph, const BlockGraph& long_graph);

}  // namespace cox::model

#endif  // COX_MODEL_ANALYSIS_BLOCKS_H_
