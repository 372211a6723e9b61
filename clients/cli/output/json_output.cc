#include "cli/output/json_output.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include <cmath>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "cli/output/escape.h"
#include "console/numbers.h"

namespace cox::cli {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::Timestamp;

void AppendDouble(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
  } else {
    out += console::FormatDouble(value);
  }
}

// Bytes of the well-formed UTF-8 sequence that `text` starts with, 0 for none.
size_t SequenceLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80   ? 1
                        : byte(0) < 0xC2 ? 0
                        : byte(0) < 0xE0 ? 2
                        : byte(0) < 0xF0 ? 3
                        : byte(0) < 0xF5 ? 4
                                         : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and beyond U+10FFFF.
  if ((byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xED && byte(1) > 0x9F) ||
      (byte(0) == 0xF0 && byte(1) < 0x90) || (byte(0) == 0xF4 && byte(1) > 0x8F)) {
    return 0;
  }
  return length;
}

void AppendString(absl::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const size_t length = SequenceLength(text);
    if (length == 0) {
      out += "\uFFFD";
      text.remove_prefix(1);
      continue;
    }
    for (const char c : text.substr(0, length)) AppendEscaped(c, out);
    text.remove_prefix(length);
  }
  out += '"';
}

// The value of a singular field (index < 0) or of one element of a repeated one.
void AppendValue(const Message& message, const FieldDescriptor* field, int index,
                 std::string& out) {
  const Reflection* reflection = message.GetReflection();
  const bool repeated = index >= 0;
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      absl::StrAppend(&out, repeated ? reflection->GetRepeatedInt32(message, field, index)
                                     : reflection->GetInt32(message, field));
      return;
    case FieldDescriptor::CPPTYPE_INT64:
      absl::StrAppend(&out, repeated ? reflection->GetRepeatedInt64(message, field, index)
                                     : reflection->GetInt64(message, field));
      return;
    case FieldDescriptor::CPPTYPE_UINT32:
      absl::StrAppend(&out, repeated ? reflection->GetRepeatedUInt32(message, field, index)
                                     : reflection->GetUInt32(message, field));
      return;
    case FieldDescriptor::CPPTYPE_UINT64:
      absl::StrAppend(&out, repeated ? reflection->GetRepeatedUInt64(message, field, index)
                                     : reflection->GetUInt64(message, field));
      return;
    case FieldDescriptor::CPPTYPE_DOUBLE:
      AppendDouble(repeated ? reflection->GetRepeatedDouble(message, field, index)
                            : reflection->GetDouble(message, field),
                   out);
      return;
    case FieldDescriptor::CPPTYPE_FLOAT:
      AppendDouble(repeated ? reflection->GetRepeatedFloat(message, field, index)
                            : reflection->GetFloat(message, field),
                   out);
      return;
    case FieldDescriptor::CPPTYPE_BOOL:
      out += (repeated ? reflection->GetRepeatedBool(message, field, index)
                       : reflection->GetBool(message, field))
                 ? "true"
                 : "false";
      return;
    case FieldDescriptor::CPPTYPE_ENUM:
      AppendString(repeated ? reflection->GetRepeatedEnum(message, field, index)->name()
                            : reflection->GetEnum(message, field)->name(),
                   out);
      return;
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string scratch;
      AppendString(repeated
                       ? reflection->GetRepeatedStringReference(message, field, index, &scratch)
                       : reflection->GetStringReference(message, field, &scratch),
                   out);
      return;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE: {
      const Message& sub = repeated ? reflection->GetRepeatedMessage(message, field, index)
                                    : reflection->GetMessage(message, field);
      if (sub.GetDescriptor() == Timestamp::descriptor()) {
        AppendString(google::protobuf::util::TimeUtil::ToString(static_cast<const Timestamp&>(sub)),
                     out);
      } else {
        AppendJson(sub, out);
      }
      return;
    }
  }
}

void AppendMember(const Message& message, const FieldDescriptor* field, std::string& out) {
  if (out.back() != '{') out += ',';
  absl::StrAppend(&out, "\"", field->name(), "\":");
  const Reflection* reflection = message.GetReflection();
  if (field->is_repeated()) {
    out += '[';
    const int size = reflection->FieldSize(message, field);
    for (int i = 0; i < size; ++i) {
      if (i > 0) out += ',';
      AppendValue(message, field, i, out);
    }
    out += ']';
  } else if (field->has_presence() && !reflection->HasField(message, field)) {
    out += "null";
  } else {
    AppendValue(message, field, -1, out);
  }
}

}  // namespace

void AppendJson(const Message& message, std::string& out) {
  out += '{';
  const Descriptor* descriptor = message.GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    AppendMember(message, descriptor->field(i), out);
  }
  out += '}';
}

void AppendMergedJson(const Message& first, const Message& second, std::string& out) {
  out += '{';
  const Descriptor* descriptor = first.GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    if (second.GetDescriptor()->FindFieldByName(descriptor->field(i)->name()) == nullptr) {
      AppendMember(first, descriptor->field(i), out);
    }
  }
  for (int i = 0; i < second.GetDescriptor()->field_count(); ++i) {
    AppendMember(second, second.GetDescriptor()->field(i), out);
  }
  out += '}';
}

std::string ToJson(const Message& message) {
  std::string out;
  AppendJson(message, out);
  return out;
}

std::string JsonString(absl::string_view text) {
  std::string out;
  AppendString(text, out);
  return out;
}

}  // namespace cox::cli
