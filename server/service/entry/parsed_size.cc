#include "service/entry/parsed_size.h"

#include <google/protobuf/message.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace cox::service {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::MessageFactory;

// Rows of reports take about three times their bytes, the shortest questions eight times.
constexpr int64_t kMostTimes = 10;
constexpr int64_t kAlwaysBytes = 1 << 20;
constexpr int64_t kPointerBytes = sizeof(void*);
constexpr int kMostDepth = 32;

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

bool IsText(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_STRING;
}
bool IsPart(const FieldDescriptor& field) {
  return field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
}

// Whether the content of a part can take more memory than its object.
bool HasParts(const Descriptor& type) {
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor& field = *type.field(i);
    if (IsPart(field) || (IsText(field) && field.is_repeated())) return true;
  }
  return false;
}

class Estimate {
 public:
  void Add(const Descriptor& type, absl::string_view wire, int depth) {
    uint64_t tag = 0;
    while (!wire.empty() && depth < kMostDepth && TakeVarint(wire, &tag)) {
      uint64_t value = 0;
      switch (tag & 7) {
        case 0:
          if (!TakeVarint(wire, &value)) return;
          break;
        case 1:
          if (!Skip(wire, sizeof(uint64_t))) return;
          break;
        case 5:
          if (!Skip(wire, sizeof(uint32_t))) return;
          break;
        case 2: {
          if (!TakeVarint(wire, &value) || value > wire.size()) return;
          const FieldDescriptor* const field = type.FindFieldByNumber(static_cast<int>(tag >> 3));
          if (field != nullptr) AddField(*field, wire.substr(0, value), depth);
          wire.remove_prefix(value);
          break;
        }
        default:
          return;
      }
    }
  }
  int64_t bytes() const { return bytes_; }

 private:
  void AddField(const FieldDescriptor& field, absl::string_view content, int depth) {
    if (IsText(field)) {
      if (field.is_repeated()) bytes_ += kPointerBytes + static_cast<int64_t>(sizeof(std::string));
      return;
    }
    if (!IsPart(field)) return;
    const Descriptor* const type = field.message_type();
    // Mostly the same as that of the part before.
    if (type != last_type_) {
      last_type_ = type;
      last_has_parts_ = HasParts(*type);
      last_bytes_ = static_cast<int64_t>(
          MessageFactory::generated_factory()->GetPrototype(type)->SpaceUsedLong());
    }
    bytes_ += kPointerBytes + last_bytes_;
    if (last_has_parts_) Add(*type, content, depth + 1);
  }

  int64_t bytes_ = 0;
  const Descriptor* last_type_ = nullptr;
  bool last_has_parts_ = false;
  int64_t last_bytes_ = 0;
};

}  // namespace

int64_t ParsedBytes(const Descriptor& type, absl::string_view wire) {
  Estimate estimate;
  estimate.Add(type, wire, 0);
  return estimate.bytes();
}

absl::Status CheckParsedSize(const Descriptor& type, absl::string_view wire) {
  const int64_t parsed_bytes = ParsedBytes(type, wire);
  const auto wire_bytes = static_cast<int64_t>(wire.size());
  if (parsed_bytes <= kMostTimes * wire_bytes + kAlwaysBytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("the request of ", wire_bytes,
                                                 " bytes would take ", parsed_bytes,
                                                 " bytes of memory: it has too many empty parts"));
}

}  // namespace cox::service
