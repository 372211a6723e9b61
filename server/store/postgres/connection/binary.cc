#include "store/postgres/connection/binary.h"

#include <bit>
#include <cstddef>

namespace cox::store::postgres {
namespace {

constexpr int kBitsOfByte = 8;

template <typename Number>
void AppendBigEndian(Number value, std::string& out) {
  for (int shift = kBitsOfByte * (static_cast<int>(sizeof value) - 1); shift >= 0;
       shift -= kBitsOfByte) {
    out.push_back(static_cast<char>(static_cast<uint64_t>(value) >> shift & 0xff));
  }
}

// Bytes of the UTF-8 character that begins with `lead`; 0: none does.
size_t LengthOf(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead < 0xe0) return 2;
  if (lead >= 0xe0 && lead < 0xf0) return 3;
  return lead >= 0xf0 && lead < 0xf5 ? 4 : 0;
}

// Whether `second` may follow `lead`: no character has two forms, none is a surrogate, none is
// above U+10FFFF.
bool MayFollow(unsigned char lead, unsigned char second) {
  const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
  return second >= low && second <= high;
}

}  // namespace

void AppendInt16(int16_t value, std::string& out) { AppendBigEndian(value, out); }
void AppendInt32(int32_t value, std::string& out) { AppendBigEndian(value, out); }
void AppendInt64(int64_t value, std::string& out) { AppendBigEndian(value, out); }
void AppendReal(double value, std::string& out) {
  AppendBigEndian(std::bit_cast<int64_t>(value), out);
}

void AppendField(int64_t value, std::string& out) {
  AppendInt32(sizeof value, out);
  AppendInt64(value, out);
}

void AppendField(double value, std::string& out) {
  AppendInt32(sizeof value, out);
  AppendReal(value, out);
}

void AppendField(absl::string_view value, std::string& out) {
  AppendInt32(static_cast<int32_t>(value.size()), out);
  out.append(value.data(), value.size());
}

void AppendNullField(std::string& out) { AppendInt32(-1, out); }

std::string ArrayOf(Type element, size_t size) {
  std::string out;
  AppendInt32(size == 0 ? 0 : 1, out);  // dimensions
  AppendInt32(0, out);                  // no NULLs
  AppendInt32(static_cast<int32_t>(element), out);
  if (size == 0) return out;
  AppendInt32(static_cast<int32_t>(size), out);
  AppendInt32(1, out);  // the first index
  return out;
}

std::string CopyBegin() {
  std::string out("PGCOPY\n\377\r\n\0", 11);
  AppendInt32(0, out);  // flags
  AppendInt32(0, out);  // length of an extension
  return out;
}

std::string CopyEnd() { return "\xff\xff"; }

int64_t DecodeInt(absl::string_view bytes) {
  if (bytes.empty()) return 0;
  const bool is_negative = static_cast<unsigned char>(bytes[0]) > 0x7f;
  int64_t value = is_negative ? -1 : 0;
  for (const char byte : bytes) {
    value = static_cast<int64_t>(static_cast<uint64_t>(value) << kBitsOfByte |
                                 static_cast<unsigned char>(byte));
  }
  return value;
}

double DecodeReal(absl::string_view bytes) {
  return bytes.size() == sizeof(double) ? std::bit_cast<double>(DecodeInt(bytes)) : 0;
}

bool IsText(absl::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = LengthOf(lead);
    if (lead == 0 || length == 0 || length > text.size() - i) return false;
    for (size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if (k == 1 ? !MayFollow(lead, next) : (next & 0xc0) != 0x80) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace cox::store::postgres
