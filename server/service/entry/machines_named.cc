#include "service/entry/machines_named.h"

#include <google/protobuf/descriptor.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "cox/v1/history.pb.h"
#include "domain/errors.h"

namespace cox::service {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string MachineOf(absl::string_view name) {
  absl::ConsumePrefix(&name, "machines/");
  return std::string(name.substr(0, name.find('/')));
}

class Check {
 public:
  Check(const access::Access& access, const access::Principal& principal)
      : access_(access), principal_(principal) {}

  absl::Status Request(const Message& request) const {
    for (const char* field : {"machine", "parent", "name"}) {
      const FieldDescriptor* const found = request.GetDescriptor()->FindFieldByName(field);
      if (found == nullptr || found->cpp_type() != FieldDescriptor::CPPTYPE_STRING) continue;
      const std::string name = request.GetReflection()->GetString(request, found);
      if (name.empty()) {
        // Its answer leaves out what the caller does not see.
        if (request.GetDescriptor() == v1::ListJobsRequest::descriptor()) continue;
        return domain::InvalidField(
            field, "is required: this site has projects, and you do not see all machines");
      }
      if (absl::Status seen = Named(field, name); !seen.ok()) return seen;
    }
    return Parts(request);
  }

 private:
  absl::Status Named(absl::string_view field, const std::string& name) const {
    const std::string machine = MachineOf(name);
    if (access_.SeesMachine(principal_, machine)) return absl::OkStatus();
    return absl::PermissionDeniedError(
        absl::StrCat(field, ": the machine \"", machine, "\" belongs to a project, and ",
                     principal_.name, " is not in it; ask the operator of coxd (projects)"));
  }

  // The machines that the parts of a message name, at any depth.
  absl::Status Parts(const Message& message) const {
    const Reflection& reflection = *message.GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection.ListFields(message, &fields);
    for (const FieldDescriptor* const field : fields) {
      if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
      const int count = field->is_repeated() ? reflection.FieldSize(message, field) : 1;
      for (int i = 0; i < count; ++i) {
        const Message& part = field->is_repeated()
                                  ? reflection.GetRepeatedMessage(message, field, i)
                                  : reflection.GetMessage(message, field);
        if (absl::Status seen = Part(part); !seen.ok()) return seen;
      }
    }
    return absl::OkStatus();
  }

  absl::Status Part(const Message& part) const {
    const FieldDescriptor* const field = part.GetDescriptor()->FindFieldByName("machine");
    if (field != nullptr && field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const std::string name = part.GetReflection()->GetString(part, field);
      if (absl::Status seen = Named("machine", name); !seen.ok()) return seen;
    }
    return Parts(part);
  }

  const access::Access& access_;
  const access::Principal& principal_;
};

}  // namespace

absl::Status CheckMachinesNamed(const access::Access& access, const access::Principal& principal,
                                const Message& request) {
  if (access.SeesAllMachines(principal)) return absl::OkStatus();
  return Check(access, principal).Request(request);
}

absl::Status CheckMachinesNamed(const access::Access& access, const access::Principal& principal,
                                const google::protobuf::Descriptor& type, absl::string_view wire) {
  if (access.SeesAllMachines(principal)) return absl::OkStatus();
  const std::unique_ptr<Message> request(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type)->New());
  if (!request->ParseFromArray(wire.data(), static_cast<int>(wire.size()))) return absl::OkStatus();
  return Check(access, principal).Request(*request);
}

}  // namespace cox::service
