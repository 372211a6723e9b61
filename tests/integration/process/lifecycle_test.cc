// How coxd starts, ends, and refuses to start.
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "as_user.h"
#include "coxd_process.h"
#include "daemon.h"
#include "grpc/health/v1/health.grpc.pb.h"

namespace cox {
namespace {

using ::grpc::health::v1::HealthCheckRequest;
using ::grpc::health::v1::HealthCheckResponse;

class Lifecycle : public ::testing::Test {
 protected:
  std::string Socket() const { return directory_.path() + "/coxd.sock"; }
  std::string Data() const { return directory_.path() + "/data"; }
  std::string LogPath(const std::string& name = "log") const {
    return directory_.path() + "/" + name;
  }
  std::vector<std::string> Arguments() const {
    return {"--data", Data(), "--listen", "unix:" + Socket()};
  }
  // Runs coxd to its end; `output`: its log.
  int Run(const std::vector<std::string>& arguments, std::string* output) const {
    CoxdProcess coxd(arguments, LogPath("run"));
    const int status = coxd.Wait();
    *output = coxd.Log();
    return status;
  }

  TemporaryDirectory directory_;
};

TEST_F(Lifecycle, SigtermDrainsAndCommitsEverythingTaken) {
  CoxdProcess coxd(Arguments(), LogPath());
  const auto channel = ConnectUnix(Socket(), 30);
  ASSERT_NE(channel, nullptr) << coxd.Log();
  const auto health = ::grpc::health::v1::Health::NewStub(channel);
  ::grpc::ClientContext health_context;
  const auto watch = health->Watch(&health_context, HealthCheckRequest());
  HealthCheckResponse state;
  ASSERT_TRUE(watch->Read(&state));
  EXPECT_EQ(state.status(), HealthCheckResponse::SERVING);

  const auto stub = v1::ObservationService::NewStub(channel);
  ::grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  int written = 0;
  std::thread writer([&] {
    for (int sequence = 1;; ++sequence) {
      v1::StreamObservationsRequest request;
      request.mutable_batch()->set_job("job");
      request.mutable_batch()->set_sequence(sequence);
      request.mutable_batch()->set_create_machines(true);
      *request.mutable_batch()->add_observations() = MakeObservation("delta", sequence);
      if (!stream->Write(request)) return;
      ++written;
    }
  });
  v1::StreamObservationsResponse response;
  int answered = 0;
  while (stream->Read(&response)) {
    EXPECT_EQ(response.error_code(), 0) << response.error_message();
    if (++answered == 50) coxd.Signal(SIGTERM);
  }
  EXPECT_EQ(stream->Finish().error_code(), ::grpc::StatusCode::UNAVAILABLE);
  writer.join();
  ASSERT_TRUE(watch->Read(&state));
  EXPECT_EQ(state.status(), HealthCheckResponse::NOT_SERVING);
  health_context.TryCancel();
  EXPECT_EQ(coxd.Wait(), 0) << coxd.Log();
  EXPECT_NE(coxd.Log().find("draining"), std::string::npos);
  EXPECT_GE(answered, 50);

  CoxdProcess again(Arguments(), LogPath());
  const auto reconnected = ConnectUnix(Socket(), 30);
  ASSERT_NE(reconnected, nullptr) << again.Log();
  v1::CountObservationsResponse count;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::CountObservations,
                   v1::ObservationService::NewStub(reconnected), v1::CountObservationsRequest(),
                   &count)
                  .ok());
  EXPECT_EQ(count.observation_count(), answered);
}

TEST_F(Lifecycle, ManyIdleConnectionsDoNotEndTheListener) {
  constexpr int kMaxFiles = 160;
  CoxdProcess coxd(Arguments(), LogPath(), kMaxFiles);
  ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  Socket().copy(address.sun_path, sizeof(address.sun_path) - 1);
  std::vector<int> idle;
  for (int i = 0; i < 2 * kMaxFiles; ++i) {
    idle.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(idle.back(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      break;
    }
  }
  // The daemon has dealt with all of them when it has closed the last one.
  char byte;
  EXPECT_EQ(recv(idle.back(), &byte, 1, 0), 0) << "over the limit, but open";
  for (const int fd : idle) close(fd);
  EXPECT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  coxd.Signal(SIGTERM);
  EXPECT_EQ(coxd.Wait(), 0) << coxd.Log();
  EXPECT_NE(coxd.Log().find("too many are open"), std::string::npos) << coxd.Log();
}

TEST_F(Lifecycle, AnAdministratorGetsInWhereAnotherUserHasAllPlaces) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can be another user";
  constexpr int kPlaces = 64;
  constexpr uid_t kAnotherUser = 54'321;
  chmod(directory_.path().c_str(), 0755);
  std::vector<std::string> arguments = Arguments();
  for (const char* word : {"--socket-mode", "0666", "--quota-connections", "0", "--max-connections",
                           "64", "--http", "off"}) {
    arguments.emplace_back(word);
  }
  CoxdProcess coxd(arguments, LogPath());
  ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  Socket().copy(address.sun_path, sizeof(address.sun_path) - 1);
  std::vector<int> taken;
  AsUser(kAnotherUser, [&] {
    for (int i = 0; i < 2 * kPlaces; ++i) {
      taken.push_back(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      ASSERT_EQ(connect(taken.back(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
                0);
    }
  });
  char byte;
  EXPECT_EQ(recv(taken.back(), &byte, 1, 0), 0) << "over the limit, but open";
  EXPECT_NE(ConnectUnix(Socket(), 10), nullptr) << coxd.Log();
  for (const int fd : taken) close(fd);
}

// As where a limit of processes is reached (TasksMax).
TEST_F(Lifecycle, EndsInOrderWhereNoThreadStarts) {
  CoxdProcess coxd(Arguments(), LogPath());
  ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  // Less address space than the stack of a thread takes.
  std::ifstream statm("/proc/" + std::to_string(coxd.pid()) + "/statm");
  rlim_t pages = 0;
  statm >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(getpagesize()) + (rlim_t{4} << 20);
  const rlimit limit = {most, most};
  ASSERT_EQ(prlimit(coxd.pid(), RLIMIT_AS, &limit, nullptr), 0);
  coxd.Signal(SIGTERM);
  EXPECT_EQ(coxd.Wait(), 0) << coxd.Log();
}

TEST_F(Lifecycle, MalformedRequestsDoNotFloodTheLog) {
  constexpr int kRequests = 500;
  CoxdProcess coxd(Arguments(), LogPath());
  const auto channel = ConnectUnix(Socket(), 30);
  ASSERT_NE(channel, nullptr) << coxd.Log();
  // Text that is not UTF-8, of which libprotobuf complains, and text that ends too soon.
  const std::string requests[] = {"\x0a\x02\xff\xff", "\x0a\x05gcel"};
  for (int i = 0; i < kRequests; ++i) {
    const grpc::Status status =
        CallWithBytes(channel, "/cox.v1.AdviceService/Recommend", requests[i % 2]);
    ASSERT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    ASSERT_NE(status.error_message().find("cox.v1.RecommendRequest"), std::string::npos)
        << status.error_message();
  }
  coxd.Signal(SIGTERM);
  EXPECT_EQ(coxd.Wait(), 0);
  const std::string log = coxd.Log();
  EXPECT_LT(std::count(log.begin(), log.end(), '\n'), 100) << log.substr(0, 2'000);
  EXPECT_NE(log.find("invalid UTF-8"), std::string::npos) << "the log does not say what happens";
}

TEST_F(Lifecycle, TheSocketsModeIsASetting) {
  std::vector<std::string> arguments = Arguments();
  arguments.insert(arguments.end(), {"--socket-mode", "0660"});
  CoxdProcess coxd(arguments, LogPath());
  ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  const auto mode = std::filesystem::status(Socket()).permissions();
  EXPECT_EQ(static_cast<int>(mode) & 0777, 0660);
}

TEST_F(Lifecycle, TheSocketsGroupIsASetting) {
  // Root may give the file to any group, others to their own ones.
  std::vector<gid_t> groups(256);
  const int count = getgroups(static_cast<int>(groups.size()), groups.data());
  ASSERT_GE(count, 0);
  groups.resize(static_cast<size_t>(count));
  if (geteuid() == 0) groups = {getgrnam("daemon") != nullptr ? getgrnam("daemon")->gr_gid : 1};
  const auto other =
      std::find_if(groups.begin(), groups.end(), [](gid_t group) { return group != getegid(); });
  if (other == groups.end()) GTEST_SKIP() << "this user is in one group only";
  const group* const chosen = getgrgid(*other);
  ASSERT_NE(chosen, nullptr);
  std::vector<std::string> arguments = Arguments();
  arguments.insert(arguments.end(), {"--socket-group", chosen->gr_name, "--socket-mode", "0660"});
  CoxdProcess coxd(arguments, LogPath());
  ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  struct stat status = {};
  ASSERT_EQ(stat(Socket().c_str(), &status), 0);
  EXPECT_EQ(status.st_gid, *other);
  EXPECT_EQ(status.st_uid, geteuid());
  EXPECT_EQ(status.st_mode & 0777U, 0660U);
}

TEST_F(Lifecycle, AnUnknownGroupOfTheSocketIsRefused) {
  std::vector<std::string> arguments = Arguments();
  arguments.insert(arguments.end(), {"--socket-group", "no-such-group"});
  std::string output;
  EXPECT_EQ(Run(arguments, &output), 1) << output;
  EXPECT_NE(output.find("there is no group \"no-such-group\""), std::string::npos) << output;
  EXPECT_FALSE(std::filesystem::exists(Socket()));
}

TEST_F(Lifecycle, ASecondDaemonOnTheSameDirectoryIsRefusedWithThePid) {
  CoxdProcess coxd(Arguments(), LogPath());
  ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  std::string output;
  EXPECT_EQ(Run({"--data", Data(), "--listen", "unix:" + Socket() + "2"}, &output), 1);
  EXPECT_NE(output.find(std::to_string(coxd.pid())), std::string::npos) << output;
}

TEST_F(Lifecycle, ATakenPortIsRefused) {
  Daemon other;
  const std::string address = other.server().address();
  std::string output;
  EXPECT_EQ(Run({"--data", Data(), "--listen", address}, &output), 1);
  EXPECT_NE(output.find(address), std::string::npos) << output;
}

TEST_F(Lifecycle, ATakenSocketIsRefusedAndStaysWithItsOwner) {
  CoxdProcess coxd(Arguments(), LogPath());
  ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  std::string output;
  EXPECT_EQ(Run({"--data", Data() + "2", "--listen", "unix:" + Socket()}, &output), 1);
  EXPECT_NE(output.find(Socket()), std::string::npos) << output;
  EXPECT_NE(ConnectUnix(Socket(), 5), nullptr);
}

TEST_F(Lifecycle, WrongSettingsAreRefusedBeforeAnythingIsTouched) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {
      {{"--listen", "0.0.0.0:7077"}, "TLS"},
      {{"--listen", "nonsense"}, "listen"},
      {{"--commit-rows", "many"}, "commit-rows"},
      {{"--no-such-flag"}, "no-such-flag"},
      {{"--config", "/nonexistent/coxd.toml"}, "coxd.toml"},
  };
  for (const auto& [extra, message] : cases) {
    std::vector<std::string> arguments = {"--data", Data()};
    arguments.insert(arguments.end(), extra.begin(), extra.end());
    std::string output;
    EXPECT_EQ(Run(arguments, &output), 2) << output;
    EXPECT_NE(output.find(message), std::string::npos) << output;
    EXPECT_FALSE(std::filesystem::exists(Data())) << extra[0];
  }
}

TEST_F(Lifecycle, CheckConfigPrintsTheSettingsAndTouchesNothing) {
  std::ofstream(LogPath("coxd.toml")) << "data = \"" << Data() << "\"\nmax-streams = 7\n";
  std::string output;
  EXPECT_EQ(Run({"--config", LogPath("coxd.toml"), "--check-config"}, &output), 0) << output;
  EXPECT_NE(output.find("max-streams = \"7\""), std::string::npos) << output;
  EXPECT_FALSE(std::filesystem::exists(Data()));
  std::ofstream(LogPath("coxd.toml")) << "max-stream = 7\n";
  EXPECT_EQ(Run({"--config", LogPath("coxd.toml"), "--check-config"}, &output), 2);
  EXPECT_NE(output.find("max-stream"), std::string::npos) << output;
}

TEST_F(Lifecycle, ATruncatedDatabaseIsRefusedAndLeftAsItIs) {
  {
    CoxdProcess coxd(Arguments(), LogPath());
    ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
    coxd.Signal(SIGTERM);
    ASSERT_EQ(coxd.Wait(), 0) << coxd.Log();
  }
  const std::string database = Data() + "/coxswain.db";
  ASSERT_GT(std::filesystem::file_size(database), 5000u);
  std::filesystem::resize_file(database, 5000);
  std::string output;
  EXPECT_EQ(Run(Arguments(), &output), 1) << output;
  EXPECT_NE(output.find("coxswain.db"), std::string::npos) << output;
  EXPECT_NE(output.find("cox store restore"), std::string::npos) << output;
  EXPECT_EQ(std::filesystem::file_size(database), 5000u);
}

TEST_F(Lifecycle, RestoresABackupWhenNoDaemonRuns) {
  const std::string database = Data() + "/coxswain.db";
  const std::string backup = LogPath("backup.db");
  std::string output;
  {
    CoxdProcess coxd(Arguments(), LogPath());
    ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
    coxd.Signal(SIGTERM);
    ASSERT_EQ(coxd.Wait(), 0) << coxd.Log();
    std::filesystem::copy_file(database, backup);
  }
  std::filesystem::resize_file(database, 5000);
  const std::string restore =
      "'" COX_COX "' store restore '" + backup + "' --data '" + Data() + "'";
  ASSERT_EQ(std::system((restore + " 2>'" + LogPath("said") + "'").c_str()), 0);
  EXPECT_EQ(std::filesystem::file_size(database + ".replaced"), 5000u);
  std::ifstream file(LogPath("said"));
  const std::string said{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(said.find(database + ".replaced"), std::string::npos) << said;
  EXPECT_NE(said.find("tokens"), std::string::npos) << said;
  CoxdProcess coxd(Arguments(), LogPath());
  ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
  EXPECT_NE(std::system((restore + " 2>/dev/null").c_str()), 0) << "a daemon runs";
  EXPECT_EQ(Run({"--restore", backup, "--data", Data()}, &output), 1);
  EXPECT_NE(output.find(std::to_string(coxd.pid())), std::string::npos) << output;
}

// As `cox store restore` beside the systemd unit: the data belongs to the unit's user, below a
// directory that only root may enter, and the backup to root.
TEST_F(Lifecycle, RootRestoresAsTheOwnerOfTheData) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root for the owner";
  constexpr uid_t kOwner = 64'242;
  namespace fs = std::filesystem;
  {
    CoxdProcess coxd(Arguments(), LogPath());
    ASSERT_NE(ConnectUnix(Socket(), 30), nullptr) << coxd.Log();
    coxd.Signal(SIGTERM);
    ASSERT_EQ(coxd.Wait(), 0) << coxd.Log();
  }
  const std::string backup = directory_.path() + "/backup.db";
  fs::copy_file(Data() + "/coxswain.db", backup);
  fs::permissions(backup, fs::perms::owner_read | fs::perms::owner_write);
  ASSERT_EQ(chown(Data().c_str(), kOwner, kOwner), 0);
  for (const auto& entry : fs::recursive_directory_iterator(Data())) {
    ASSERT_EQ(chown(entry.path().c_str(), kOwner, kOwner), 0);
  }
  std::string output;
  ASSERT_EQ(Run({"--restore", backup, "--data", Data()}, &output), 0) << output;
  EXPECT_TRUE(fs::exists(Data() + "/coxswain.db.replaced"));
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(Data())) {
    struct stat status = {};
    ASSERT_EQ(stat(entry.path().c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, kOwner) << entry.path();
    EXPECT_EQ(status.st_gid, kOwner) << entry.path();
    ++files;
  }
  EXPECT_GT(files, 1);
}

}  // namespace
}  // namespace cox
