#include "cli/output/json_output.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/timestamp.pb.h>
#include <google/protobuf/util/time_util.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "console/numbers.h"
#include "console/printable.h"

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

void AppendString(absl::string_view text, std::string& out) {
  const std::string quoted = nlohmann::json(std::string(text))
                                 .dump(/*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/false,
                                       nlohmann::json::error_handler_t::replace);
  // JSON allows some characters as they are that Session::out() would replace.
  out += console::EscapeHarmful(quoted, [](char32_t harmful) {
    return absl::StrFormat("\\u%04x", static_cast<uint32_t>(harmful));
  });
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
