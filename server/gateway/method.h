// Finds the API's method for a path, and the path of a method. Any thread.
#ifndef COX_GATEWAY_METHOD_H_
#define COX_GATEWAY_METHOD_H_

#include <google/protobuf/descriptor.h>

#include <string>

#include "absl/strings/string_view.h"

namespace cox::gateway {

// "/cox.v1.AdviceService/Recommend"; null for a path that names no method that is compiled in.
const google::protobuf::MethodDescriptor* FindMethod(absl::string_view path);

// The path of a method, as gRPC wants it.
std::string PathOf(const google::protobuf::MethodDescriptor& method);

}  // namespace cox::gateway

#endif  // COX_GATEWAY_METHOD_H_
