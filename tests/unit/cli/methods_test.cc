// Compares the table of RPCs with the services' descriptors, so that no path and no type rots.
#include "cli/methods.h"

#include <cox/v1/access.pb.h>
#include <cox/v1/advice.pb.h>
#include <cox/v1/calibration.pb.h>
#include <cox/v1/history.pb.h>
#include <cox/v1/machine.pb.h>
#include <cox/v1/model.pb.h>
#include <cox/v1/observation.pb.h>
#include <cox/v1/store.pb.h>
#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/empty.pb.h>
#include <grpc/health/v1/health.pb.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <tuple>

namespace cox::cli {
namespace {

template <class Request, class Response>
constexpr bool SendsMany(const ClientStreamMethod<Request, Response>&) {
  return true;
}
template <class Any>
constexpr bool SendsMany(const Any&) {
  return false;
}
template <class Request, class Response>
constexpr bool ReceivesMany(const ServerStreamMethod<Request, Response>&) {
  return true;
}
template <class Any>
constexpr bool ReceivesMany(const Any&) {
  return false;
}

template <class AnyMethod>
void ExpectDescribed(const AnyMethod& method) {
  std::string name = std::string(method.path).substr(1);
  name.replace(name.find('/'), 1, ".");
  const google::protobuf::MethodDescriptor* found =
      google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
  ASSERT_NE(found, nullptr) << method.path;
  EXPECT_EQ(found->input_type()->full_name(), AnyMethod::RequestType::descriptor()->full_name());
  EXPECT_EQ(found->output_type()->full_name(), AnyMethod::ResponseType::descriptor()->full_name());
  EXPECT_EQ(found->client_streaming(), SendsMany(method)) << method.path;
  EXPECT_EQ(found->server_streaming(), ReceivesMany(method)) << method.path;
}

TEST(MethodsTest, EachIsAsItsServiceSays) {
  // A file's services are in the pool when one of its messages is.
  std::apply([](const auto&... method) { (ExpectDescribed(method), ...); }, kMethods);
}

TEST(MethodsTest, NoPathStandsTwice) {
  std::set<std::string> paths;
  std::apply([&](const auto&... method) { (paths.insert(method.path), ...); }, kMethods);
  EXPECT_EQ(paths.size(), std::tuple_size_v<decltype(kMethods)>);
}

}  // namespace
}  // namespace cox::cli
