#include "servers/first_ready.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"

namespace cox::servers {
namespace {

std::chrono::system_clock::time_point In(int seconds) {
  return std::chrono::system_clock::now() + std::chrono::seconds(seconds);
}

class FirstReadyTest : public ::testing::Test {
 protected:
  FirstReadyTest() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cox-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~FirstReadyTest() override {
    for (const int hanging : hanging_) close(hanging);
    std::filesystem::remove_all(folder_);
  }

  std::string Address(const std::string& name) const {
    return absl::StrCat("unix:", folder_, "/", name);
  }
  // A gRPC server that knows no method.
  std::string Serve(const std::string& name) {
    grpc::ServerBuilder builder;
    builder.AddListeningPort(Address(name), grpc::InsecureServerCredentials());
    // Without any service gRPC would serve nobody.
    no_methods_.push_back(std::make_unique<grpc::CallbackGenericService>());
    builder.RegisterCallbackGenericService(no_methods_.back().get());
    servers_.push_back(builder.BuildAndStart());
    return Address(name);
  }
  // Accepts connections, and never says a word, as a stopped process does.
  std::string Hang(const std::string& name) {
    const int hanging = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    absl::StrCat(folder_, "/", name).copy(address.sun_path, sizeof(address.sun_path) - 1);
    EXPECT_EQ(bind(hanging, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0)
        << strerror(errno);
    EXPECT_EQ(listen(hanging, 16), 0);
    hanging_.push_back(hanging);
    return Address(name);
  }
  static Channels Open(const std::vector<std::string>& addresses) {
    Channels channels;
    for (const std::string& address : addresses) {
      channels.push_back(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
    }
    return channels;
  }

  std::string folder_;
  std::vector<std::unique_ptr<grpc::CallbackGenericService>> no_methods_;
  std::vector<std::unique_ptr<grpc::Server>> servers_;
  std::vector<int> hanging_;
};

TEST_F(FirstReadyTest, TakesTheFirstAndLeavesTheOthersAlone) {
  const Channels channels = Open({Serve("a"), Serve("b")});
  EXPECT_EQ(FirstReady(channels, In(30)), 0U);
  EXPECT_EQ(channels[1]->GetState(false), GRPC_CHANNEL_IDLE);
}

TEST_F(FirstReadyTest, PassesThoseThatRefuseAndThoseThatHang) {
  EXPECT_EQ(FirstReady(Open({Address("nobody"), Hang("h"), Hang("i"), Serve("a")}), In(30)), 3U);
}

TEST_F(FirstReadyTest, GivesUpWhenAllRefuse) {
  EXPECT_EQ(FirstReady(Open({Address("nobody"), Address("either")}), In(600)), std::nullopt);
}

TEST_F(FirstReadyTest, GivesUpAtTheDeadline) {
  EXPECT_EQ(FirstReady(Open({Hang("h"), Hang("i")}), In(1)), std::nullopt);
}

}  // namespace
}  // namespace cox::servers
