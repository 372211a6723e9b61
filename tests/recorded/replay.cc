#include "replay.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/unknown_field_set.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "bytes.h"

namespace cox::recorded {
namespace {

namespace pb = ::google::protobuf;
constexpr std::chrono::seconds kPatience{60};
// GetDecisions compares its answer with an earlier one, which was another daemon's.
constexpr char kSameAsBefore[] = "not_modified";

// The set of fields that a message and those in it have, as "machine.levels.name". A field that the
// schema does not know is "machine.?7".
void AddFields(const pb::Message& message, const std::string& prefix,
               std::set<std::string>* fields) {
  const pb::Reflection& reflection = *message.GetReflection();
  const pb::UnknownFieldSet& unknown = reflection.GetUnknownFields(message);
  for (int i = 0; i < unknown.field_count(); ++i) {
    fields->insert(absl::StrCat(prefix, "?", unknown.field(i).number()));
  }
  std::vector<const pb::FieldDescriptor*> present;
  reflection.ListFields(message, &present);
  for (const pb::FieldDescriptor* const field : present) {
    const std::string name = absl::StrCat(prefix, field->name());
    fields->insert(name);
    if (field->cpp_type() != pb::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      AddFields(reflection.GetMessage(message, field), name + ".", fields);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      AddFields(reflection.GetRepeatedMessage(message, field, i), name + ".", fields);
    }
  }
}

std::set<std::string> FieldsOf(const pb::Descriptor& type,
                               const std::vector<std::string>& messages) {
  std::set<std::string> fields;
  for (const std::string& bytes : messages) {
    const std::unique_ptr<pb::Message> message(
        pb::MessageFactory::generated_factory()->GetPrototype(&type)->New());
    if (!message->ParseFromString(bytes)) fields.insert("?bytes that are no message");
    AddFields(*message, "", &fields);
  }
  return fields;
}

// Makes the call with the recorded requests; a stream that the recorded client left is left after
// as many answers.
RecordedCall CallAgain(grpc::GenericStub* stub, const RecordedCall& old) {
  RecordedCall today;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  grpc::CompletionQueue queue;
  // Each step waits for the one before: a queue of its own has nothing else.
  const auto await = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  const auto call = stub->PrepareCall(&context, old.method, &queue);
  call->StartCall(nullptr);
  bool is_open = await();
  for (const std::string& request : old.requests) {
    if (!is_open) break;
    call->Write(BufferOf(request), nullptr);
    is_open = await();
  }
  const bool was_left = old.code == static_cast<int>(grpc::StatusCode::CANCELLED);
  if (is_open && !was_left) {
    call->WritesDone(nullptr);
    await();
  }
  for (grpc::ByteBuffer response; !was_left || today.responses.size() < old.responses.size();) {
    call->Read(&response, nullptr);
    if (!await()) break;
    today.responses.push_back(TextOf(response));
  }
  if (was_left) context.TryCancel();
  grpc::Status status;
  call->Finish(&status, nullptr);
  await();
  today.code = status.error_code();
  queue.Shutdown();
  return today;
}

}  // namespace

std::vector<std::string> Replay(const Tape& tape, const std::string& server) {
  grpc::GenericStub stub(grpc::CreateChannel(server, grpc::InsecureChannelCredentials()));
  std::vector<std::string> problems;
  for (size_t i = 0; i < tape.size(); ++i) {
    const RecordedCall& old = tape[i];
    const std::string where = absl::StrCat("call ", i + 1, ", ", old.method, ": ");
    const std::string name = absl::StrReplaceAll(old.method.substr(1), {{"/", "."}});
    const pb::MethodDescriptor* const method =
        pb::DescriptorPool::generated_pool()->FindMethodByName(name);
    if (method == nullptr) {
      problems.push_back(where + "today's schema has no such method");
      continue;
    }
    const std::set<std::string> sent = FieldsOf(*method->input_type(), old.requests);
    const std::set<std::string> answered = FieldsOf(*method->output_type(), old.responses);
    for (const std::set<std::string>* fields : {&sent, &answered}) {
      for (const std::string& field : *fields) {
        if (field.find('?') != std::string::npos) {
          problems.push_back(absl::StrCat(where, "today's schema does not know ", field));
        }
      }
    }
    const RecordedCall today = CallAgain(&stub, old);
    if (today.code != old.code) {
      problems.push_back(absl::StrCat(where, "ends with ", today.code, ", not ", old.code));
    }
    const std::set<std::string> has = FieldsOf(*method->output_type(), today.responses);
    for (const std::string& field : answered) {
      if (has.find(field) == has.end() && field != kSameAsBefore)
        problems.push_back(where + "the answer lacks " + field);
    }
  }
  return problems;
}

}  // namespace cox::recorded
