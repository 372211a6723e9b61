#include "gateway/codec.h"

#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "domain/errors.h"
#include "service/entry/parsed_size.h"

namespace cox::gateway {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::util::TypeResolver;

constexpr struct {
  absl::string_view name;
  ContentType type;
} kContentTypes[] = {
    {"application/json", {Encoding::kJson, false}},
    {"application/proto", {Encoding::kProto, false}},
    {"application/connect+json", {Encoding::kJson, true}},
    {"application/connect+proto", {Encoding::kProto, true}},
};

TypeResolver* Types() {
  static TypeResolver* const types = google::protobuf::util::NewTypeResolverForDescriptorPool(
      "type.googleapis.com", DescriptorPool::generated_pool());
  return types;
}

std::string UrlOf(const Descriptor& type) {
  return absl::StrCat("type.googleapis.com/", type.full_name());
}

// protobuf's parser says "(field): rule" where a field is at fault.
absl::Status JsonError(const Descriptor& type, absl::string_view message) {
  absl::string_view rest = message;
  if (absl::ConsumePrefix(&rest, "(")) {
    const size_t end = rest.find("): ");
    if (end != absl::string_view::npos && end > 0) {
      return domain::InvalidField(rest.substr(0, end), rest.substr(end + 3));
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("request: the body is not a valid ", type.full_name(), " in JSON: ", message));
}

absl::string_view View(google::protobuf::StringPiece text) { return {text.data(), text.size()}; }

}  // namespace

std::string ContentType::Name() const {
  for (const auto& row : kContentTypes) {
    if (row.type.encoding == encoding && row.type.in_envelopes == in_envelopes) {
      return std::string(row.name);
    }
  }
  return "";
}

std::optional<ContentType> ParseContentType(absl::string_view header) {
  const size_t semicolon = header.find(';');
  const absl::string_view name = absl::StripAsciiWhitespace(header.substr(0, semicolon));
  if (semicolon != absl::string_view::npos) {
    const absl::string_view parameter = absl::StripAsciiWhitespace(header.substr(semicolon + 1));
    if (!absl::EqualsIgnoreCase(parameter, "charset=utf-8")) return std::nullopt;
  }
  for (const auto& row : kContentTypes) {
    if (absl::EqualsIgnoreCase(row.name, name)) return row.type;
  }
  return std::nullopt;
}

absl::StatusOr<std::string> ReadMessage(Encoding encoding, const Descriptor& type,
                                        absl::string_view text) {
  if (encoding == Encoding::kJson) {
    std::string wire;
    const auto read = google::protobuf::util::JsonToBinaryString(
        Types(), UrlOf(type), {text.data(), text.size()}, &wire, {});
    if (!read.ok()) return JsonError(type, View(read.message()));
    return wire;
  }
  if (absl::Status fits = service::CheckParsedSize(type, text).status(); !fits.ok()) return fits;
  const std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
  if (!message->ParseFromArray(text.data(), static_cast<int>(text.size()))) {
    return absl::InvalidArgumentError(absl::StrCat("request: the body is not a valid ",
                                                   type.full_name(), " in protobuf's encoding"));
  }
  return std::string(text);
}

absl::StatusOr<std::string> WriteMessage(Encoding encoding, const Descriptor& type,
                                         std::string wire) {
  if (encoding == Encoding::kProto) return wire;
  std::string json;
  const auto written =
      google::protobuf::util::BinaryToJsonString(Types(), UrlOf(type), wire, &json, {});
  if (!written.ok()) {
    return absl::InternalError(
        absl::StrCat("response: cannot write a ", type.full_name(), " as JSON"));
  }
  return json;
}

}  // namespace cox::gateway
