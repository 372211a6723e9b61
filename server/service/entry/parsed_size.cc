#include "service/entry/parsed_size.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include <limits>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"

namespace cox::service {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MessageFactory;

// Rows of reports take about five times their bytes, the shortest questions eleven times.
constexpr int64_t kMostTimes = 12;
constexpr int64_t kAlwaysBytes = 1 << 20;
constexpr int64_t kPointerBytes = sizeof(void*);
constexpr auto kTextBytes = static_cast<int64_t>(sizeof(std::string));
// A vector of them has up to twice the room that it needs.
constexpr int64_t kUnknownFieldBytes = 2 * sizeof(google::protobuf::UnknownField);

enum WireType : uint8_t { kVarint = 0, kEightBytes = 1, kLengthAndContent = 2, kFourBytes = 5 };

// Takes a number of base 128 from the front.
bool TakeVarint(absl::string_view& wire, uint64_t* value) {
  constexpr int kBits = 7;
  constexpr int kMostBits = 64;
  *value = 0;
  for (int shift = 0; shift < kMostBits && !wire.empty(); shift += kBits) {
    const auto byte = static_cast<unsigned char>(wire.front());
    wire.remove_prefix(1);
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool Skip(absl::string_view& wire, size_t bytes) {
  if (bytes > wire.size()) return false;
  wire.remove_prefix(bytes);
  return true;
}

WireType WireTypeOf(const FieldDescriptor& field) {
  switch (field.type()) {
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE:
      return kLengthAndContent;
    case FieldDescriptor::TYPE_DOUBLE:
    case FieldDescriptor::TYPE_FIXED64:
    case FieldDescriptor::TYPE_SFIXED64:
      return kEightBytes;
    case FieldDescriptor::TYPE_FLOAT:
    case FieldDescriptor::TYPE_FIXED32:
    case FieldDescriptor::TYPE_SFIXED32:
      return kFourBytes;
    default:
      return kVarint;
  }
}

// Whether the parser takes the field as what its type says; else it keeps it as an unknown field.
bool IsKnown(const FieldDescriptor* field, int wire_type) {
  if (field == nullptr) return false;
  return wire_type == WireTypeOf(*field) ||
         (wire_type == kLengthAndContent && field->is_packable());
}

class Estimate {
 public:
  // False: the bytes are no message that a client of ours makes. The parser would take groups, tags
  // of more than 32 bits, and parts that end after the part that they are in.
  bool Add(const Descriptor& type, absl::string_view wire, int depth) {
    if (depth > kMostDepth) return false;
    while (!wire.empty()) {
      uint64_t tag = 0;
      if (!TakeVarint(wire, &tag) || tag > std::numeric_limits<uint32_t>::max()) return false;
      const auto wire_type = static_cast<int>(tag & 7);
      const FieldDescriptor* field = type.FindFieldByNumber(static_cast<int>(tag >> 3));
      if (!IsKnown(field, wire_type)) field = nullptr;
      if (field == nullptr) bytes_ += kUnknownFieldBytes;
      uint64_t value = 0;
      switch (wire_type) {
        case kVarint:
          if (!TakeVarint(wire, &value)) return false;
          break;
        case kEightBytes:
          if (!Skip(wire, sizeof(uint64_t))) return false;
          break;
        case kFourBytes:
          if (!Skip(wire, sizeof(uint32_t))) return false;
          break;
        case kLengthAndContent:
          if (!TakeVarint(wire, &value) || value > wire.size() ||
              !AddContent(field, wire.substr(0, value), depth)) {
            return false;
          }
          wire.remove_prefix(value);
          break;
        default:
          return false;
      }
    }
    return true;
  }
  int64_t bytes() const { return bytes_; }

 private:
  // `field`: null if unknown.
  bool AddContent(const FieldDescriptor* field, absl::string_view content, int depth) {
    if (field == nullptr || field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      bytes_ += kTextBytes;
      if (field != nullptr && field->is_repeated()) bytes_ += kPointerBytes;
      return true;
    }
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) return true;
    const Descriptor* const type = field->message_type();
    bytes_ += kPointerBytes + ObjectBytesOf(type);
    return Add(*type, content, depth + 1);
  }

  int64_t ObjectBytesOf(const Descriptor* type) {
    const auto [entry, is_new] = object_bytes_.try_emplace(type, 0);
    if (is_new) {
      entry->second = static_cast<int64_t>(
          MessageFactory::generated_factory()->GetPrototype(type)->SpaceUsedLong());
    }
    return entry->second;
  }

  // As the parser's.
  const int kMostDepth = google::protobuf::io::CodedInputStream::GetDefaultRecursionLimit();
  int64_t bytes_ = 0;
  absl::flat_hash_map<const Descriptor*, int64_t> object_bytes_;
};

}  // namespace

absl::StatusOr<int64_t> ParsedBytes(const Descriptor& type, absl::string_view wire) {
  Estimate estimate;
  if (!estimate.Add(type, wire, 0)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the bytes of the request are not a valid ", type.full_name(), " message"));
  }
  return estimate.bytes();
}

absl::StatusOr<int64_t> CheckParsedSize(const Descriptor& type, absl::string_view wire) {
  absl::StatusOr<int64_t> parsed_bytes = ParsedBytes(type, wire);
  if (!parsed_bytes.ok()) return parsed_bytes;
  const auto wire_bytes = static_cast<int64_t>(wire.size());
  if (*parsed_bytes <= kMostTimes * wire_bytes + kAlwaysBytes) return parsed_bytes;
  return absl::InvalidArgumentError(
      absl::StrCat("the request of ", wire_bytes, " bytes would take ", *parsed_bytes,
                   " bytes of memory: it has too many empty parts or unknown fields"));
}

}  // namespace cox::service
