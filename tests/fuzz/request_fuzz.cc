// Requests to a daemon in this process. The first byte chooses the method; the rest are the bytes
// of its request. Mutations know the request's fields. Each call ends, in time, with a status that
// says whose fault it is: never UNKNOWN or INTERNAL.
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <google/protobuf/stubs/logging.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "access/rules.h"
#include "cox/v1/access.pb.h"
#include "cox/v1/advice.pb.h"
#include "cox/v1/calibration.pb.h"
#include "cox/v1/history.pb.h"
#include "cox/v1/machine.pb.h"
#include "cox/v1/model.pb.h"
#include "cox/v1/observation.pb.h"
#include "cox/v1/store.pb.h"
#include "daemon/config.h"
#include "daemon/log.h"
#include "expect.h"
#include "folder.h"
#include "service/server.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

using cox::fuzz::Expect;
using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::MessageFactory;
using google::protobuf::MethodDescriptor;
using google::protobuf::Reflection;

constexpr std::chrono::seconds kPatience{25};

// Those that end by themselves.
std::vector<const MethodDescriptor*> Methods() {
  google::protobuf::SetLogHandler(nullptr);
  // So that the linker keeps their descriptors.
  (void)cox::v1::WhoAmIRequest::descriptor(), (void)cox::v1::RecommendRequest::descriptor(),
      (void)cox::v1::CalibrateRequest::descriptor(), (void)cox::v1::GetSavingsRequest::descriptor(),
      (void)cox::v1::Machine::descriptor(), (void)cox::v1::ListModelsRequest::descriptor(),
      (void)cox::v1::Observation::descriptor(), (void)cox::v1::GetStoreStatusRequest::descriptor();
  std::vector<const MethodDescriptor*> methods;
  for (const cox::access::Rule& rule : cox::access::Rules()) {
    std::string name(rule.method);
    std::replace(name.begin(), name.end(), '/', '.');
    const MethodDescriptor* const method = DescriptorPool::generated_pool()->FindMethodByName(name);
    Expect(method != nullptr, "a rule without a method");
    // Backups stay, and would fill the disk.
    if (method->name() == "CreateBackup") continue;
    if (!method->server_streaming() || method->client_streaming()) methods.push_back(method);
  }
  return methods;
}

const MethodDescriptor& MethodOf(uint8_t number) {
  static const std::vector<const MethodDescriptor*> kMethods = Methods();
  return *kMethods[number % kMethods.size()];
}

std::unique_ptr<Message> NewRequest(const MethodDescriptor& method) {
  return std::unique_ptr<Message>(
      MessageFactory::generated_factory()->GetPrototype(method.input_type())->New());
}

// Sets fields of a message at random: names that exist, and numbers at the edges.
class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  bool OneIn(unsigned n) { return random_() % n == 0; }

  void Change(Message* message, int depth) {
    const Descriptor& type = *message->GetDescriptor();
    if (type.field_count() == 0) return;
    const FieldDescriptor& field =
        *type.field(static_cast<int>(random_() % static_cast<unsigned>(type.field_count())));
    const Reflection& reflection = *message->GetReflection();
    if (OneIn(8)) return reflection.ClearField(message, &field);
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (depth == 0) return;
      Message* inside = nullptr;
      if (!field.is_repeated()) {
        inside = reflection.MutableMessage(message, &field);
      } else if (const int size = reflection.FieldSize(*message, &field); size > 0 && !OneIn(4)) {
        inside = reflection.MutableRepeatedMessage(
            message, &field, static_cast<int>(random_() % static_cast<unsigned>(size)));
      } else {
        inside = reflection.AddMessage(message, &field);
      }
      for (unsigned i = 0; i <= random_() % 4; ++i) Change(inside, depth - 1);
      return;
    }
    Set(message, field, reflection);
  }

 private:
  int64_t Integer() {
    static constexpr int64_t kEdges[] = {0,
                                         1,
                                         2,
                                         3,
                                         4,
                                         7,
                                         8,
                                         16,
                                         64,
                                         100,
                                         1'024,
                                         65'536,
                                         1 << 20,
                                         -1,
                                         std::numeric_limits<int32_t>::max(),
                                         std::numeric_limits<int64_t>::max(),
                                         std::numeric_limits<int64_t>::min(),
                                         (int64_t{1} << 53) + 1};
    return kEdges[random_() % std::size(kEdges)];
  }
  double Real() {
    static const double kEdges[] = {0,
                                    1e-9,
                                    1e-6,
                                    1e-3,
                                    0.5,
                                    1,
                                    2,
                                    1e3,
                                    1e12,
                                    -1,
                                    1e-310,
                                    1e308,
                                    std::nan(""),
                                    std::numeric_limits<double>::infinity()};
    return kEdges[random_() % std::size(kEdges)];
  }
  std::string Text() {
    static const char* const kTexts[] = {"",
                                         "m",
                                         "intel-delta",
                                         "machines/intel-delta",
                                         "machines/m",
                                         "machines/m/profiles/1",
                                         "openmpi-4.1",
                                         "mpich-4.0",
                                         "coxcoll",
                                         "allreduce",
                                         "alltoall",
                                         "bcast",
                                         "barrier",
                                         "reduce_scatter",
                                         "binomial",
                                         "ring",
                                         "recursive_doubling",
                                         "bcast/chain?segment=8192",
                                         "hockney",
                                         "logp",
                                         "loggp",
                                         "all",
                                         "network",
                                         "node",
                                         "latency_s",
                                         "block",
                                         "cyclic",
                                         "matmul",
                                         "apsp",
                                         "job",
                                         "job/1",
                                         "tokens/t",
                                         "env",
                                         "file",
                                         "2x2",
                                         "torus",
                                         "crossbar",
                                         "11111111-2222-3333-4444-555555555555",
                                         "*",
                                         "a\x1b[2J",
                                         "\xff",
                                         "x/y/z"};
    return OneIn(16) ? std::string(random_() % 3'000, 'x') : kTexts[random_() % std::size(kTexts)];
  }

  void Set(Message* message, const FieldDescriptor& field, const Reflection& reflection) {
    const bool many = field.is_repeated();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32: {
        const auto value = static_cast<int32_t>(Integer());
        return many ? reflection.AddInt32(message, &field, value)
                    : reflection.SetInt32(message, &field, value);
      }
      case FieldDescriptor::CPPTYPE_INT64:
        return many ? reflection.AddInt64(message, &field, Integer())
                    : reflection.SetInt64(message, &field, Integer());
      case FieldDescriptor::CPPTYPE_UINT32: {
        const auto value = static_cast<uint32_t>(Integer());
        return many ? reflection.AddUInt32(message, &field, value)
                    : reflection.SetUInt32(message, &field, value);
      }
      case FieldDescriptor::CPPTYPE_UINT64: {
        const auto value = static_cast<uint64_t>(Integer());
        return many ? reflection.AddUInt64(message, &field, value)
                    : reflection.SetUInt64(message, &field, value);
      }
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return many ? reflection.AddDouble(message, &field, Real())
                    : reflection.SetDouble(message, &field, Real());
      case FieldDescriptor::CPPTYPE_FLOAT: {
        const auto value = static_cast<float>(Real());
        return many ? reflection.AddFloat(message, &field, value)
                    : reflection.SetFloat(message, &field, value);
      }
      case FieldDescriptor::CPPTYPE_BOOL:
        return many ? reflection.AddBool(message, &field, OneIn(2))
                    : reflection.SetBool(message, &field, OneIn(2));
      case FieldDescriptor::CPPTYPE_ENUM: {
        const int value = OneIn(8) ? 99 : static_cast<int>(random_() % 6);
        return many ? reflection.AddEnumValue(message, &field, value)
                    : reflection.SetEnumValue(message, &field, value);
      }
      case FieldDescriptor::CPPTYPE_STRING:
        return many ? reflection.AddString(message, &field, Text())
                    : reflection.SetString(message, &field, Text());
      case FieldDescriptor::CPPTYPE_MESSAGE:
        return;
    }
  }

  std::minstd_rand random_;
};

struct Daemon {
  Daemon() {
    Expect(cox::daemon::SetUpLog("error").ok(), "no log");
    const auto config = cox::daemon::MakeConfig({{{"data", folder.File("data")},
                                                  {"listen", "unix:" + folder.File("socket")},
                                                  {"refine-interval", "0s"},
                                                  {"drain-timeout", "1s"}}});
    Expect(config.ok(), "no configuration");
    auto started = cox::service::Server::Start(*config);
    Expect(started.ok(), "no daemon");
    server = *std::move(started);
    channel =
        grpc::CreateChannel("unix:" + folder.File("socket"), grpc::InsecureChannelCredentials());
  }
  cox::fuzz::Folder folder;
  std::unique_ptr<cox::service::Server> server;
  std::shared_ptr<grpc::Channel> channel;
};

grpc::Status CallWith(const std::shared_ptr<grpc::Channel>& channel, const std::string& path,
                      const grpc::Slice& bytes) {
  grpc::GenericStub stub(channel);
  grpc::CompletionQueue queue;
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kPatience);
  const auto call = stub.PrepareCall(&context, path, &queue);
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };
  grpc::Status status;
  call->StartCall(nullptr);
  if (wait()) {
    call->WriteLast(grpc::ByteBuffer(&bytes, 1), grpc::WriteOptions(), nullptr);
    wait();
    grpc::ByteBuffer message;
    do {
      message.Clear();
      call->Read(&message, nullptr);
    } while (wait());
  }
  call->Finish(&status, nullptr);
  wait();
  return status;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  Mutator mutator(seed);
  if (size < 1 || mutator.OneIn(10)) return LLVMFuzzerMutate(data, size, max_size);
  if (mutator.OneIn(4)) data[0] = static_cast<uint8_t>(seed >> 8);
  const std::unique_ptr<Message> request = NewRequest(MethodOf(data[0]));
  if (!request->ParseFromArray(data + 1, static_cast<int>(size - 1))) request->Clear();
  do {
    mutator.Change(request.get(), 4);
  } while (!mutator.OneIn(4));
  const std::string bytes = request->SerializePartialAsString();
  if (bytes.size() + 1 > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data + 1);
  return bytes.size() + 1;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Daemon kDaemon;
  if (size == 0) return 0;
  const MethodDescriptor& method = MethodOf(data[0]);
  const std::string path = "/" + method.service()->full_name() + "/" + method.name();
  const grpc::Status status = CallWith(kDaemon.channel, path, grpc::Slice(data + 1, size - 1));
  switch (status.error_code()) {
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::DATA_LOSS:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      std::fprintf(stderr, "%s: %d %s\n", path.c_str(), status.error_code(),
                   status.error_message().c_str());
      std::abort();
    default:
      return 0;
  }
}
