#include "proto_lint.h"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>
#include <regex>

namespace cox::verify {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;
using google::protobuf::MethodDescriptor;
using google::protobuf::ServiceDescriptor;
using google::protobuf::SourceLocation;

const std::regex kPascalCase("[A-Z][A-Za-z0-9]*");
const std::regex kSnakeCase("[a-z][a-z0-9]*(_[a-z0-9]+)*");
const std::regex kVersionedPackage("([a-z][a-z0-9]*\\.)+v[0-9]+");
// Suffixes of quantities: a unit, or what has none.
const std::regex kQuantity(".*_(s|s_per_byte|bytes|bps|error|ratio|count)|units|factor");
const std::regex kDuration("(.*_)?(time|delay|interval|latency|timeout|duration|period)(_.*)?");

bool EndsWith(const std::string& text, const std::string& end) {
  return text.size() >= end.size() &&
         text.compare(text.size() - end.size(), std::string::npos, end) == 0;
}

// "PlacementKind" -> "PLACEMENT_KIND".
std::string UpperSnake(const std::string& pascal) {
  std::string out;
  for (char c : pascal) {
    if (c >= 'A' && c <= 'Z' && !out.empty()) out += '_';
    out += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  return out;
}

bool IsRequestOrResponse(const Descriptor& message) {
  return EndsWith(message.name(), "Request") || EndsWith(message.name(), "Response");
}

// A resource says which one it is in its first field.
bool IsResource(const Descriptor& message) {
  const FieldDescriptor* name = message.FindFieldByNumber(1);
  return !IsRequestOrResponse(message) && name != nullptr && name->name() == "name" &&
         name->type() == FieldDescriptor::TYPE_STRING;
}

class Linter {
 public:
  std::vector<std::string> Run(const FileDescriptor& file) {
    LintPackage(file);
    for (int i = 0; i < file.service_count(); ++i) LintService(*file.service(i));
    for (int i = 0; i < file.message_type_count(); ++i) LintMessage(*file.message_type(i));
    for (int i = 0; i < file.enum_type_count(); ++i) LintEnum(*file.enum_type(i));
    return std::move(problems_);
  }

 private:
  void Say(const std::string& name, const std::string& rule) {
    problems_.push_back(name + ": " + rule);
  }

  // Complains if there is no comment.
  template <typename D>
  void Comment(const D& thing) {
    SourceLocation location;
    std::string comment;
    if (thing.GetSourceLocation(&location)) {
      comment = location.leading_comments + location.trailing_comments;
    }
    if (std::all_of(comment.begin(), comment.end(), [](unsigned char c) { return isspace(c); })) {
      Say(thing.full_name(), "needs a comment");
    }
  }

  void LintPackage(const FileDescriptor& file) {
    std::string folder = file.package() + "/";
    std::replace(folder.begin(), folder.end(), '.', '/');
    if (!std::regex_match(file.package(), kVersionedPackage)) {
      Say(file.name(), "its package must end in a version: " + file.package());
    }
    if (file.name().rfind(folder, 0) != 0) Say(file.name(), "must lie in " + folder);
    const std::string base = file.name().substr(file.name().rfind('/') + 1);
    if (!std::regex_match(base.substr(0, base.rfind('.')), kSnakeCase)) {
      Say(file.name(), "its name must be in snake_case");
    }
    if (file.syntax() != FileDescriptor::SYNTAX_PROTO3) Say(file.name(), "must be proto3");
    if (file.public_dependency_count() > 0 || file.weak_dependency_count() > 0) {
      Say(file.name(), "must import plainly, neither public nor weak");
    }
  }

  void LintService(const ServiceDescriptor& service) {
    Comment(service);
    if (!std::regex_match(service.name(), kPascalCase) || !EndsWith(service.name(), "Service")) {
      Say(service.full_name(), "a service's name must be PascalCase and end in Service");
    }
    for (int i = 0; i < service.method_count(); ++i) LintMethod(*service.method(i));
  }

  void LintMethod(const MethodDescriptor& method) {
    Comment(method);
    const Descriptor& request = *method.input_type();
    const Descriptor& response = *method.output_type();
    if (!std::regex_match(method.name(), kPascalCase)) {
      Say(method.full_name(), "an RPC's name must be PascalCase");
    }
    if (request.name() != method.name() + "Request" || request.file() != method.file()) {
      Say(method.full_name(), "must take " + method.name() + "Request of its own file");
    }
    if (response.name() != method.name() + "Response" && !IsResource(response) &&
        response.full_name() != "google.protobuf.Empty") {
      Say(method.full_name(),
          "must return " + method.name() + "Response, a resource or google.protobuf.Empty");
    }
    LintPages(method, request, response);
  }

  void LintPages(const MethodDescriptor& method, const Descriptor& request,
                 const Descriptor& response) {
    const FieldDescriptor* size = request.FindFieldByName("page_size");
    const FieldDescriptor* token = request.FindFieldByName("page_token");
    const FieldDescriptor* next = response.FindFieldByName("next_page_token");
    if (size == nullptr && token == nullptr && next == nullptr) return;
    if (size == nullptr || token == nullptr || next == nullptr) {
      Say(method.full_name(), "page_size, page_token and next_page_token go together");
      return;
    }
    if (size->type() != FieldDescriptor::TYPE_INT32 ||
        token->type() != FieldDescriptor::TYPE_STRING ||
        next->type() != FieldDescriptor::TYPE_STRING) {
      Say(method.full_name(), "page_size is an int32, page tokens are strings");
    }
    int repeated = 0;
    for (int i = 0; i < response.field_count(); ++i) repeated += response.field(i)->is_repeated();
    if (repeated != 1) Say(method.full_name(), "a page has exactly one repeated field");
  }

  void LintMessage(const Descriptor& message) {
    if (message.options().map_entry()) return;
    Comment(message);
    if (!std::regex_match(message.name(), kPascalCase)) {
      Say(message.full_name(), "a message's name must be PascalCase");
    }
    for (int i = 0; i < message.field_count(); ++i) LintField(*message.field(i));
    for (int i = 0; i < message.real_oneof_decl_count(); ++i) {
      Comment(*message.oneof_decl(i));
      if (!std::regex_match(message.oneof_decl(i)->name(), kSnakeCase)) {
        Say(message.oneof_decl(i)->full_name(), "a oneof's name must be snake_case");
      }
    }
    for (int i = 0; i < message.nested_type_count(); ++i) LintMessage(*message.nested_type(i));
    for (int i = 0; i < message.enum_type_count(); ++i) LintEnum(*message.enum_type(i));
  }

  void LintField(const FieldDescriptor& field) {
    Comment(field);
    if (!std::regex_match(field.name(), kSnakeCase)) {
      Say(field.full_name(), "a field's name must be snake_case");
    }
    switch (field.type()) {
      case FieldDescriptor::TYPE_UINT32:
      case FieldDescriptor::TYPE_UINT64:
      case FieldDescriptor::TYPE_FIXED32:
      case FieldDescriptor::TYPE_FIXED64:
        Say(field.full_name(), "integers are signed");
        break;
      case FieldDescriptor::TYPE_GROUP:
        Say(field.full_name(), "groups are not used");
        break;
      case FieldDescriptor::TYPE_FLOAT:
        Say(field.full_name(), "quantities are doubles");
        break;
      default:
        break;
    }
    LintUnit(field);
  }

  // A number that has a unit says it in its name, unless a field beside it says it, or says which
  // parameter it is of.
  void LintUnit(const FieldDescriptor& field) {
    const Descriptor& message = *field.containing_type();
    const bool unit_beside = message.FindFieldByName("unit") != nullptr ||
                             message.FindFieldByName("parameter") != nullptr;
    const bool number = field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE ||
                        field.cpp_type() == FieldDescriptor::CPPTYPE_INT32 ||
                        field.cpp_type() == FieldDescriptor::CPPTYPE_INT64;
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE && !unit_beside &&
        !std::regex_match(field.name(), kQuantity)) {
      Say(field.full_name(), "a quantity's name must end in its unit (_s, _bytes, _bps, ...)");
    }
    if (number && std::regex_match(field.name(), kDuration) && !EndsWith(field.name(), "_s")) {
      Say(field.full_name(), "a duration is in seconds and its name ends in _s");
    }
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
        field.message_type()->full_name() == "google.protobuf.Timestamp" &&
        !EndsWith(field.name(), "_time") && field.name() != "at") {
      Say(field.full_name(), "an instant's name is `at` or ends in _time");
    }
  }

  void LintEnum(const EnumDescriptor& type) {
    Comment(type);
    if (!std::regex_match(type.name(), kPascalCase)) {
      Say(type.full_name(), "an enum's name must be PascalCase");
    }
    if (type.options().allow_alias()) Say(type.full_name(), "two values may not share a number");
    const std::string prefix = UpperSnake(type.name()) + "_";
    for (int i = 0; i < type.value_count(); ++i) {
      Comment(*type.value(i));
      if (type.value(i)->name().rfind(prefix, 0) != 0) {
        Say(type.value(i)->full_name(), "must begin with " + prefix);
      }
    }
    const auto* zero = type.FindValueByNumber(0);
    if (zero == nullptr || zero->name() != prefix + "UNSPECIFIED") {
      Say(type.full_name(), "its zero value must be " + prefix + "UNSPECIFIED");
    }
  }

  std::vector<std::string> problems_;
};

}  // namespace

std::vector<std::string> LintFile(const FileDescriptor& file) { return Linter().Run(file); }

}  // namespace cox::verify
