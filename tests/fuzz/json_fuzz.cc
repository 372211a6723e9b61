// Bodies of calls, as JSON and as protobuf's bytes. The first byte chooses the method, the second
// one the encoding. What is read can be written, and read again it is the same.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/util/field_comparator.h>
#include <google/protobuf/util/message_differencer.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cox/v1/access.pb.h"
#include "cox/v1/advice.pb.h"
#include "cox/v1/calibration.pb.h"
#include "cox/v1/history.pb.h"
#include "cox/v1/machine.pb.h"
#include "cox/v1/model.pb.h"
#include "cox/v1/observation.pb.h"
#include "cox/v1/store.pb.h"
#include "gateway/codec.h"

namespace {

using cox::gateway::Encoding;
using cox::gateway::ReadMessage;
using cox::gateway::WriteMessage;
using google::protobuf::Descriptor;
using google::protobuf::FileDescriptor;

// What all methods of the API take.
std::vector<const Descriptor*> Requests() {
  google::protobuf::SetLogHandler(nullptr);  // it would tell of each malformed input
  const FileDescriptor* const files[] = {
      cox::v1::WhoAmIRequest::descriptor()->file(),
      cox::v1::RecommendRequest::descriptor()->file(),
      cox::v1::CalibrateRequest::descriptor()->file(),
      cox::v1::GetSavingsRequest::descriptor()->file(),
      cox::v1::Machine::descriptor()->file(),
      cox::v1::ListModelsRequest::descriptor()->file(),
      cox::v1::Observation::descriptor()->file(),
      cox::v1::GetStoreStatusRequest::descriptor()->file(),
  };
  std::vector<const Descriptor*> requests;
  for (const FileDescriptor* file : files) {
    for (int s = 0; s < file->service_count(); ++s) {
      for (int m = 0; m < file->service(s)->method_count(); ++m) {
        requests.push_back(file->service(s)->method(m)->input_type());
      }
    }
  }
  return requests;
}

// Whether the bytes are the same message.
bool IsSame(const Descriptor& type, const std::string& a, const std::string& b) {
  const google::protobuf::Message* const prototype =
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
  const std::unique_ptr<google::protobuf::Message> first(prototype->New());
  const std::unique_ptr<google::protobuf::Message> second(prototype->New());
  if (!first->ParseFromString(a) || !second->ParseFromString(b)) return false;
  first->DiscardUnknownFields();
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  google::protobuf::util::MessageDifferencer differencer;
  differencer.set_field_comparator(&comparator);
  return differencer.Compare(*first, *second);
}

[[noreturn]] void Fail(const char* what, const absl::Status& status) {
  std::fprintf(stderr, "%s: %s\n", what, status.ToString().c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<const Descriptor*> kRequests = Requests();
  if (size < 2) return 0;
  const Descriptor& type = *kRequests[data[0] % kRequests.size()];
  const Encoding encoding = data[1] % 2 == 0 ? Encoding::kJson : Encoding::kProto;
  const absl::string_view body(reinterpret_cast<const char*>(data) + 2, size - 2);
  const absl::StatusOr<std::string> wire = ReadMessage(encoding, type, body);
  if (!wire.ok()) {
    if (!absl::IsInvalidArgument(wire.status())) Fail("another error", wire.status());
    return 0;
  }
  const absl::StatusOr<std::string> json = WriteMessage(Encoding::kJson, type, *wire);
  // Protobuf's bytes may hold what JSON cannot say, such as a time beyond the year 9999.
  if (!json.ok()) {
    if (encoding == Encoding::kJson) Fail("what was read as JSON cannot be written", json.status());
    return 0;
  }
  const absl::StatusOr<std::string> again = ReadMessage(Encoding::kJson, type, *json);
  if (!again.ok()) Fail("what was written cannot be read", again.status());
  if (!IsSame(type, *wire, *again)) Fail("it is another one the second time", again.status());
  return 0;
}
