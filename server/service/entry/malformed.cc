#include "service/entry/malformed.h"

#include <google/protobuf/descriptor.h>

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "service/status.h"

namespace cox::service {
namespace {

using grpc::experimental::InterceptionHookPoints;
using grpc::experimental::InterceptorBatchMethods;
using grpc::experimental::ServerRpcInfo;

// "/cox.v1.AdviceService/Recommend" -> "cox.v1.RecommendRequest".
std::string RequestOf(absl::string_view path) {
  const std::string name = absl::StrReplaceAll(absl::StripPrefix(path, "/"), {{"/", "."}});
  const google::protobuf::MethodDescriptor* const method =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
  return method == nullptr ? absl::StrCat("request of ", name) : method->input_type()->full_name();
}

class MalformedInterceptor : public grpc::experimental::Interceptor {
 public:
  explicit MalformedInterceptor(const char* path) : path_(path) {}

  void Intercept(InterceptorBatchMethods* methods) override {
    if (methods->QueryInterceptionHookPoint(InterceptionHookPoints::PRE_SEND_STATUS)) {
      const grpc::Status status = methods->GetSendStatus();
      // No handler answers so: gRPC does, in place of the handler.
      if (status.error_code() == grpc::StatusCode::UNIMPLEMENTED &&
          status.error_message().empty()) {
        methods->ModifySendStatus(ToGrpc(absl::InvalidArgumentError(
            absl::StrCat("the bytes of the request are not a valid ", RequestOf(path_),
                         " message (text must be UTF-8)"))));
      }
    }
    methods->Proceed();
  }

 private:
  const char* const path_;  // of the registered method: outlives every call
};

class MalformedInterceptorFactory : public grpc::experimental::ServerInterceptorFactoryInterface {
 public:
  grpc::experimental::Interceptor* CreateServerInterceptor(ServerRpcInfo* info) override {
    const bool has_one_request = info->type() == ServerRpcInfo::Type::UNARY ||
                                 info->type() == ServerRpcInfo::Type::SERVER_STREAMING;
    return has_one_request ? new MalformedInterceptor(info->method()) : nullptr;
  }
};

}  // namespace

std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface> MakeMalformedInterceptor() {
  return std::make_unique<MalformedInterceptorFactory>();
}

}  // namespace cox::service
