// Protocol Buffers' wire format, field by field, for the plugin's messages (wire.h says why it is
// hand-written). Pure, any thread.
#ifndef COX_AGENT_STREAM_WIRE_WIRE_FORMAT_H_
#define COX_AGENT_STREAM_WIRE_WIRE_FORMAT_H_

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

namespace cox::agent {

static_assert(std::endian::native == std::endian::little, "fixed fields are written as they lie");

enum WireType : uint32_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Appends fields to a message. Omits fields with their default value, as proto3 does.
class Encoder {
 public:
  void Integer(uint32_t field, int64_t value) {
    if (value == 0) return;
    Tag(field, kVarint);
    Varint(static_cast<uint64_t>(value));
  }
  void Double(uint32_t field, double value) {
    const uint64_t bits = std::bit_cast<uint64_t>(value);
    if (bits == 0) return;
    Tag(field, kFixed64);
    char bytes[sizeof(bits)];
    std::memcpy(bytes, &bits, sizeof(bits));
    out_.append(bytes, sizeof(bytes));
  }
  void Text(uint32_t field, std::string_view value) {
    if (!value.empty()) Message(field, value);
  }
  // Packed numbers of a repeated field, without zeros at the end.
  void Integers(uint32_t field, std::span<const int64_t> values) {
    while (!values.empty() && values.back() == 0) values = values.first(values.size() - 1);
    if (values.empty()) return;
    Encoder packed;
    for (const int64_t value : values) packed.Varint(static_cast<uint64_t>(value));
    Message(field, packed.out_);
  }
  // Written even when empty: an element of a repeated field, or a present message.
  void Message(uint32_t field, std::string_view value) {
    Tag(field, kBytes);
    Varint(value.size());
    out_.append(value);
  }
  const std::string& out() const { return out_; }

 private:
  void Tag(uint32_t field, WireType type) { Varint(field << 3 | type); }
  void Varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) out_.push_back(static_cast<char>(value | 0x80));
    out_.push_back(static_cast<char>(value));
  }
  std::string out_;
};

// Reads a message field by field. When Next returns false, ok() tells the end from an error.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}
  bool ok() const { return ok_; }
  uint32_t field() const { return field_; }

  bool Next() {
    if (!ok_ || rest_.empty()) return false;
    const uint64_t tag = Varint();
    field_ = static_cast<uint32_t>(tag >> 3);
    type_ = static_cast<uint32_t>(tag & 7);
    number_ = 0;
    text_ = {};
    switch (type_) {
      case kVarint:
        number_ = Varint();
        break;
      case kFixed64:
        text_ = Take(8);
        break;
      case kBytes:
        text_ = Take(Varint());
        break;
      case kFixed32:
        text_ = Take(4);
        break;
      default:
        ok_ = false;
    }
    return ok_ && (ok_ = field_ != 0);
  }
  // The current field's value; zero when it has another type.
  int64_t Integer() const { return static_cast<int64_t>(number_); }
  std::string_view Text() const { return type_ == kBytes ? text_ : std::string_view(); }
  double Double() const {
    uint64_t bits = 0;
    if (type_ == kFixed64) std::memcpy(&bits, text_.data(), sizeof(bits));
    return std::bit_cast<double>(bits);
  }

 private:
  uint64_t Varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::string_view Take(uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool ok_ = true;
  uint32_t field_ = 0;
  uint32_t type_ = 0;
  uint64_t number_ = 0;
  std::string_view text_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_WIRE_WIRE_FORMAT_H_
