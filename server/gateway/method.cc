#include "gateway/method.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace cox::gateway {

const google::protobuf::MethodDescriptor* FindMethod(absl::string_view path) {
  if (!absl::ConsumePrefix(&path, "/")) return nullptr;
  const size_t slash = path.find('/');
  if (slash == absl::string_view::npos) return nullptr;
  const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
      std::string(path.substr(0, slash)));
  return service == nullptr ? nullptr
                            : service->FindMethodByName(std::string(path.substr(slash + 1)));
}

std::string PathOf(const google::protobuf::MethodDescriptor& method) {
  return absl::StrCat("/", method.service()->full_name(), "/", method.name());
}

}  // namespace cox::gateway
