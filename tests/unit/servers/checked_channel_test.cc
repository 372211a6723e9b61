#include "servers/checked_channel.h"

#include <gmock/gmock.h>
#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "folder.h"
#include "foreign_socket.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace cox::servers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class CheckedChannelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  }
  static CheckedChannel To(const std::string& server, const std::string& user = "root") {
    return CheckedChannel(
        {.server = server, .user = user, .credentials = grpc::InsecureChannelCredentials()});
  }
  // Lets the channel connect, or fail to.
  static grpc_connectivity_state Try(grpc::Channel& channel) {
    grpc_connectivity_state state = channel.GetState(true);
    while (state != GRPC_CHANNEL_READY && state != GRPC_CHANNEL_TRANSIENT_FAILURE) {
      channel.WaitForStateChange(state, std::chrono::system_clock::time_point::max());
      state = channel.GetState(false);
    }
    return state;
  }

  Folder folder_;
};

TEST_F(CheckedChannelTest, NobodyConnectsToAnotherUsersSocket) {
  const ForeignSocket socket(folder_.Path("s"), kAnotherUser);
  ASSERT_TRUE(socket.is_bound());
  for (const char* user : {"root", "no-such-user-here", "54320"}) {
    const absl::Status refused = To(socket.address(), user).Get().status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_THAT(std::string(refused.message()),
                AllOf(HasSubstr(folder_.Path("s")), HasSubstr("54321"), HasSubstr(user),
                      HasSubstr("COX_SERVER_USER")));
  }
  EXPECT_FALSE(socket.WasVisited());
}

TEST_F(CheckedChannelTest, RootItselfAndTheNamedUserAreTrusted) {
  EXPECT_TRUE(To(ForeignSocket(folder_.Path("mine"), 0).address()).Get().ok());
  const ForeignSocket named(folder_.Path("named"), kAnotherUser);
  EXPECT_TRUE(To(named.address(), absl::StrCat(kAnotherUser)).Get().ok());
  AsUser(kAnotherUser, [&] {
    EXPECT_TRUE(To(ForeignSocket(folder_.Path("roots"), 0).address()).Get().ok());
    EXPECT_TRUE(To(named.address()).Get().ok()) << "its own";
  });
}

TEST_F(CheckedChannelTest, ASocketThatRefusesThisUserSaysWhichSettingsDecide) {
  const ForeignSocket socket(folder_.Path("closed"), 0);
  ASSERT_EQ(chmod(folder_.Path("closed").c_str(), 0600), 0);
  AsUser(kAnotherUser, [&] {
    const absl::Status refused = To(socket.address()).Get().status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_THAT(std::string(refused.message()),
                AllOf(HasSubstr(folder_.Path("closed")), HasSubstr("socket-mode"),
                      HasSubstr("socket-group")));
  });
  EXPECT_TRUE(To(socket.address()).Get().ok());
  ASSERT_EQ(chmod(folder_.Path("").c_str(), 0700), 0);
  AsUser(kAnotherUser, [&] {
    const absl::Status refused = To(socket.address()).Get().status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
    EXPECT_THAT(std::string(refused.message()), HasSubstr("may not enter the folder"));
  });
}

TEST_F(CheckedChannelTest, ItConnects) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("unix:" + folder_.Path("s"), grpc::InsecureServerCredentials());
  grpc::CallbackGenericService no_methods;
  builder.RegisterCallbackGenericService(&no_methods);
  const auto server = builder.BuildAndStart();
  CheckedChannel daemon = To("unix:" + folder_.Path("s"));
  const auto channel = daemon.Get();
  ASSERT_TRUE(channel.ok()) << channel.status();
  EXPECT_EQ(Try(**channel), GRPC_CHANNEL_READY);
  EXPECT_EQ(*daemon.Get(), *channel) << "the same one while the file is the same";
  server->Shutdown();
}

TEST_F(CheckedChannelTest, WhoTakesThePathLaterIsCheckedToo) {
  CheckedChannel daemon = To("unix:" + folder_.Path("s"));
  absl::StatusOr<std::shared_ptr<grpc::Channel>> before;
  {
    const ForeignSocket first(folder_.Path("s"), 0);
    before = daemon.Get();
    ASSERT_TRUE(before.ok()) << before.status();
  }
  const ForeignSocket second(folder_.Path("s"), kAnotherUser);
  ASSERT_TRUE(second.is_bound());
  EXPECT_EQ(daemon.Get().status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(Try(**before), GRPC_CHANNEL_TRANSIENT_FAILURE) << "it leads to the old file";
  EXPECT_FALSE(second.WasVisited());
  const ForeignSocket third(folder_.Path("s"), 0);
  EXPECT_TRUE(daemon.Get().ok()) << "coxd is back";
}

TEST_F(CheckedChannelTest, AMissingFileIsAwayAndOtherFilesAreRefused) {
  EXPECT_EQ(To("unix:" + folder_.Path("none")).Get().status().code(),
            absl::StatusCode::kUnavailable);
  EXPECT_EQ(To("unix:" + folder_.Write("file", "")).Get().status().code(),
            absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(To("unix-abstract:coxd").Get().status().code(), absl::StatusCode::kPermissionDenied);
  EXPECT_TRUE(To("127.0.0.1:1").Get().ok()) << "a port has no owner";
}

TEST_F(CheckedChannelTest, OneForeignSocketOfSeveralIsLeftOut) {
  const ForeignSocket foreign(folder_.Path("s"), kAnotherUser);
  std::vector<CheckedChannel> daemons;
  daemons.push_back(To("unix:" + folder_.Path("none")));
  daemons.push_back(To(foreign.address()));
  daemons.push_back(To("127.0.0.1:1"));
  const Usable usable = FindUsable(absl::MakeSpan(daemons));
  EXPECT_EQ(usable.channels.size(), 1U);
  EXPECT_THAT(usable.indices, ::testing::ElementsAre(2U));
  EXPECT_EQ(usable.problem.code(), absl::StatusCode::kPermissionDenied);
}

TEST(UserFromEnvironment, TakesCoxdsUserOfEitherVariable) {
  unsetenv("COX_SERVER_USER");
  unsetenv("COX_MUNGE");
  EXPECT_EQ(UserFromEnvironment(), "coxswain");
  setenv("COX_MUNGE", "head", 1);
  EXPECT_EQ(UserFromEnvironment(), "head");
  setenv("COX_SERVER_USER", "990", 1);
  EXPECT_EQ(UserFromEnvironment(), "990");
}

TEST(WithServer, PutsTheAddressInPlaceOfTheDescriptor) {
  EXPECT_EQ(WithServer("last error: unix:/proc/self/fd/17: refused", "unix:/s"),
            "last error: unix:/s: refused");
  EXPECT_EQ(WithServer("at unix:/proc/self/fd/1", "unix:/s"), "at unix:/s");
  EXPECT_EQ(WithServer("refused", "unix:/s"), "refused");
}

// Answers what is worth to be compressed.
class LargeHealth : public grpc::health::v1::Health::Service {
 public:
  grpc::Status Check(grpc::ServerContext* /*context*/,
                     const grpc::health::v1::HealthCheckRequest* /*request*/,
                     grpc::health::v1::HealthCheckResponse* response) override {
    auto* const unknown = response->GetReflection()->MutableUnknownFields(response);
    unknown->AddLengthDelimited(99)->assign(1'000'000, 'x');
    return grpc::Status::OK;
  }
};

// What a false daemon compresses could fill the memory of its client.
TEST(CheckedChannel, RefusesCompressedAnswers) {
  const Folder folder;
  LargeHealth health;
  grpc::ServerBuilder builder;
  builder.RegisterService(&health);
  builder.AddListeningPort("unix:" + folder.Path("s"), grpc::InsecureServerCredentials());
  builder.SetDefaultCompressionAlgorithm(GRPC_COMPRESS_GZIP);
  const auto server = builder.BuildAndStart();
  ASSERT_NE(server, nullptr);
  CheckedChannel checked({.server = "unix:" + folder.Path("s"),
                          .user = "root",
                          .credentials = grpc::InsecureChannelCredentials()});
  const auto channel = checked.Get();
  ASSERT_TRUE(channel.ok()) << channel.status();
  grpc::ClientContext context;
  grpc::health::v1::HealthCheckResponse response;
  const grpc::Status status =
      grpc::health::v1::Health::NewStub(*channel)->Check(&context, {}, &response);
  EXPECT_FALSE(status.ok());
  EXPECT_TRUE(response.GetReflection()->GetUnknownFields(response).empty());
}

}  // namespace
}  // namespace cox::servers
