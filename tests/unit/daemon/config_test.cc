#include "daemon/config.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/store.h"

namespace cox::daemon {
namespace {

// A file of this text, until the program ends.
std::string Write(const std::string& text) {
  struct Files {
    std::vector<std::string> paths;
    ~Files() {
      for (const std::string& path : paths) std::filesystem::remove(path);
    }
  };
  static Files files;
  files.paths.push_back(
      absl::StrCat(::testing::TempDir(), "/coxd-", getpid(), "-", files.paths.size()));
  std::ofstream(files.paths.back()) << text;
  return files.paths.back();
}

std::string Message(const absl::Status& status) { return std::string(status.message()); }

TEST(Config, HasDefaultsForEverything) {
  const auto config = MakeConfig({});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->listen, std::vector<std::string>{"127.0.0.1:7077"});
  EXPECT_EQ(config->token_file, "/var/lib/coxswain/tokens");
  EXPECT_EQ(config->drain_timeout_s, 5);
  EXPECT_EQ(config->socket_mode, 0600U);
  EXPECT_EQ(config->socket_group, "");
  EXPECT_EQ(config->commit_delay_s, 0.002);
  EXPECT_EQ(config->commit_rows, 5000);
}

TEST(Config, HasTheDefaultsOfTheStore) {
  const auto config = MakeConfig({});
  ASSERT_TRUE(config.ok()) << config.status();
  const store::StoreOptions store;
  EXPECT_EQ(config->commit_delay_s * 1e6, static_cast<double>(store.commit_delay_us));
  EXPECT_EQ(config->commit_rows, store.commit_rows);
  EXPECT_EQ(config->queue_rows, store.queue_rows);
}

TEST(Config, HttpIsOnLoopbackOrOff) {
  EXPECT_EQ(MakeConfig({})->http, "127.0.0.1:7078");
  EXPECT_EQ(MakeConfig({{{"http", "off"}}})->http, "");
  // A Unix socket restricts who may connect: HTTP must be asked for beside it.
  EXPECT_EQ(MakeConfig({{{"listen", "unix:/run/coxd.sock"}}})->http, "");
  EXPECT_EQ(MakeConfig({{{"listen", "unix:/run/coxd.sock"}, {"http", "127.0.0.1:7078"}}})->http,
            "127.0.0.1:7078");
  EXPECT_EQ(MakeConfig({{{"http", "[::1]:0"}}})->http, "[::1]:0");
  const auto routable = MakeConfig({{{"http", "0.0.0.0:7078"}}});
  EXPECT_EQ(routable.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(Message(routable.status()).find("http: 0.0.0.0:7078"), std::string::npos);
  for (const char* nonsense : {"on", "unix:/run/http.sock", "127.0.0.1"}) {
    EXPECT_EQ(MakeConfig({{{"http", nonsense}}}).status().code(),
              absl::StatusCode::kInvalidArgument)
        << nonsense;
  }
}

TEST(Config, ARelayKnowsWhereItSendsTo) {
  EXPECT_TRUE(MakeConfig({})->relay.empty());
  const auto relay = MakeConfig({{{"relay", "head:7077,10.0.0.1:1,unix:/run/coxd.sock"}}});
  ASSERT_TRUE(relay.ok()) << relay.status();
  EXPECT_EQ(relay->relay,
            (std::vector<std::string>{"head:7077", "10.0.0.1:1", "unix:/run/coxd.sock"}));
  EXPECT_EQ(relay->relay_spool_bytes, int64_t{1} << 30);
  EXPECT_EQ(relay->http, "") << "a relay has none";
  for (const char* wrong : {"", "head", "head:0", "head:65536", "head:7o", "a:1,", "a:1,,b:1",
                            "a:1,a:1", "http://a:1", "a b:1", ":1"}) {
    EXPECT_NE(Message(MakeConfig({{{"relay", wrong}}}).status()).find("relay"), std::string::npos)
        << wrong;
  }
  EXPECT_FALSE(MakeConfig({{{"relay", "head:7077"}, {"http", "127.0.0.1:7078"}}}).ok());
  EXPECT_FALSE(MakeConfig({{{"relay", "head:7077"}, {"store", "postgresql://u@h/d"}}}).ok());
  EXPECT_FALSE(MakeConfig({{{"relay-token-file", "t"}}}).ok());
  const ConfigValues token = {{"relay", "head:7077"}, {"relay-token-file", "t"}};
  EXPECT_NE(Message(MakeConfig({token}).status()).find("relay-tls-ca"), std::string::npos)
      << "the network could read the token";
  EXPECT_TRUE(MakeConfig({{{"relay-tls-ca", "ca.pem"}}, token}).ok());
  EXPECT_TRUE(MakeConfig({{{"relay", "unix:/run/coxd.sock"}, {"relay-token-file", "t"}}}).ok());
}

TEST(Config, ARelayRefusesWhatItWouldIgnore) {
  const ConfigValues ignored = {{"hide-foreign-jobs", "true"}, {"published-machines", "false"},
                                {"refine-interval", "9s"},     {"commit-delay", "9ms"},
                                {"commit-rows", "9"},          {"queue-rows", "9000"},
                                {"machine-scenarios", "9"},    {"max-scenarios", "9"},
                                {"retention-age", "9d"},       {"retention-jobs", "9d"},
                                {"retention-size", "9MiB"},    {"backup-every", "9m"},
                                {"backup-keep", "9"}};
  for (const auto& [name, value] : ignored) {
    EXPECT_TRUE(MakeConfig({{{name, value}}}).ok()) << name << " is a setting of coxd";
    const absl::Status refused = MakeConfig({{{"relay", "head:7077"}, {name, value}}}).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument) << name;
    EXPECT_NE(Message(refused).find(name + ": has no effect with relay"), std::string::npos)
        << refused;
  }
  for (const auto& [name, value] :
       ConfigValues{{"hide-foreign-jobs", "false"}, {"projects", "wx-*=root"}}) {
    EXPECT_TRUE(MakeConfig({{{"relay", "head:7077"}, {name, value}}}).ok()) << name;
  }
}

TEST(Config, ARelayDoesNotSendToItself) {
  const ConfigValues own = {{"listen", "unix:/run/r.sock,127.0.0.1:7079"}};
  for (const char* relay : {"head:7077,127.0.0.1:7079", "unix:/run/r.sock"}) {
    EXPECT_NE(Message(MakeConfig({{{"relay", relay}}, own}).status()).find("own address"),
              std::string::npos)
        << relay;
  }
  EXPECT_TRUE(MakeConfig({{{"relay", "127.0.0.1:7077"}}, own}).ok());
}

TEST(Config, ListensAtSeveralAddresses) {
  const auto config = MakeConfig({{{"listen", "unix:/run/coxd.sock, 127.0.0.1:0"}}});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->listen, (std::vector<std::string>{"unix:/run/coxd.sock", "127.0.0.1:0"}));
  EXPECT_EQ(config->http, "") << "a Unix socket restricts who may connect";
  EXPECT_FALSE(MakeConfig({{{"listen", "unix:/run/coxd.sock,"}}}).ok());
}

TEST(Config, OtherHostsMayConnectWithMungeIfNobodyElseHasARole) {
  const ConfigValues routable = {
      {"listen", "0.0.0.0:7077"}, {"http", "off"}, {"munge-names", "head.example, 10.0.0.1"}};
  EXPECT_FALSE(MakeConfig({routable}).ok()) << "callers without munge are operators";
  const auto config = MakeConfig({{{"anonymous-role", "none"}}, routable});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->munge_names, (std::vector<std::string>{"head.example", "10.0.0.1"}));
  EXPECT_FALSE(MakeConfig({{{"munge-names", "head,,tail"}}}).ok());
  EXPECT_FALSE(MakeConfig({{{"munge-names", "two words"}}}).ok());
  EXPECT_TRUE(MakeConfig({{{"munge-names", "none"}}})->munge_names.empty());
}

TEST(Config, OtherHostsNeedTlsOrTheWordInsecure) {
  const ConfigValues routable = {{"listen", "unix:/run/coxd.sock,0.0.0.0:7077"}};
  const auto plain = MakeConfig({routable});
  EXPECT_EQ(plain.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_NE(Message(plain.status()).find("--insecure"), std::string::npos) << plain.status();
  EXPECT_TRUE(MakeConfig({{{"insecure", "true"}}, routable}).ok());
  const auto tls = MakeConfig({{{"tls-certificate", "c.pem"}, {"tls-key", "k.pem"}}, routable});
  ASSERT_TRUE(tls.ok()) << tls.status();
  EXPECT_EQ(tls->http, "") << "it must be asked for";
  EXPECT_FALSE(MakeConfig({{{"insecure", "true"}, {"http", "0.0.0.0:7078"}}}).ok());
  EXPECT_EQ(
      MakeConfig({{{"tls-certificate", "c.pem"}, {"tls-key", "k.pem"}, {"http", "0.0.0.0:7078"}}})
          ->http,
      "0.0.0.0:7078");
}

TEST(Config, TlsFilesBelongTogether) {
  for (const ConfigValues& values :
       {ConfigValues{{"tls-certificate", "c.pem"}}, ConfigValues{{"tls-key", "k.pem"}},
        ConfigValues{{"tls-client-ca", "ca.pem"}}}) {
    EXPECT_EQ(MakeConfig({values}).status().code(), absl::StatusCode::kInvalidArgument)
        << values.begin()->first;
  }
}

TEST(Config, ARelativeTokenFileIsInTheDataDirectory) {
  EXPECT_EQ(MakeConfig({{{"data", "/d"}, {"token-file", "t"}}})->token_file, "/d/t");
  EXPECT_EQ(MakeConfig({{{"data", "/d"}, {"token-file", "/e/t"}}})->token_file, "/e/t");
}

TEST(Config, TheStoreIsAFileOrAServerWithoutAPassword) {
  EXPECT_EQ(MakeConfig({})->store_url, "");
  EXPECT_EQ(MakeConfig({{{"store", "sqlite"}}})->store_url, "");
  for (const char* const url :
       {"postgresql://coxd@db.example.org:5432/coxswain?passfile=/etc/pgpass",
        "postgres://db.example.org/coxswain", "postgresql:///coxswain?host=/run/postgresql",
        "postgresql://a:5432,b:5432/coxswain?options=-c%20x@y:z"}) {
    const auto config = MakeConfig({{{"store", url}}});
    ASSERT_TRUE(config.ok()) << config.status();
    EXPECT_EQ(config->store_url, url);
  }
  for (const char* const wrong :
       {"postgresql://coxd:secret@db.example.org/coxswain", "mysql://db/coxswain", "/var/lib/x",
        "postgresql:///coxswain?password=secret"}) {
    const auto config = MakeConfig({{{"store", wrong}}});
    EXPECT_EQ(config.status().code(), absl::StatusCode::kInvalidArgument) << wrong;
    EXPECT_EQ(Message(config.status()).find("secret"), std::string::npos);
  }
}

TEST(Config, AFlagBeatsTheEnvironmentWhichBeatsTheFile) {
  const auto file =
      ReadConfigFile(Write("log-level = \"error\"\ncommit-rows = 7\ndata = \"/f\"\n"));
  ASSERT_TRUE(file.ok()) << file.status();
  std::string variable = "COXD_LOG_LEVEL=warning";
  std::string other = "PATH=/bin";
  std::string data = "COXD_DATA=/e";
  std::vector<char*> environment = {variable.data(), other.data(), data.data(), nullptr};
  const auto variables = ReadConfigEnvironment(environment.data());
  ASSERT_TRUE(variables.ok()) << variables.status();
  const auto config = MakeConfig({{{"log-level", "debug"}}, *variables, *file});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->log_level, "debug");
  EXPECT_EQ(config->data, "/e");
  EXPECT_EQ(config->commit_rows, 7);
}

TEST(Config, WhatItPrintsCanBeReadBack) {
  std::string text;
  for (const ConfigKey& key : ConfigKeys())
    absl::StrAppend(&text, DescribeConfigKey(key, {}), "\n");
  const auto values = ReadConfigFile(Write(text));
  ASSERT_TRUE(values.ok()) << values.status();
  EXPECT_EQ(values->size(), ConfigKeys().size());
  EXPECT_TRUE(MakeConfig({*values}).ok());
}

TEST(Config, AnUnknownKeyIsAnErrorWithItsLine) {
  const auto file = ReadConfigFile(Write("# comment\nlisten-on = \"127.0.0.1:1\"\n"));
  EXPECT_EQ(file.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(file.status()).find(":2: there is no key \"listen-on\""), std::string::npos)
      << file.status();
  std::string variable = "COXD_LISTEN_ON=x";
  std::vector<char*> environment = {variable.data(), nullptr};
  EXPECT_EQ(ReadConfigEnvironment(environment.data()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(Config, BrokenFilesNameTheLine) {
  for (const char* text : {"listen = \n", "listen = \"a\n", "[listen]\nx = 1\n", "data = 1.5\n",
                           "data = [1]\n", "listen = \"a\"\nlisten = \"b\"\n"}) {
    EXPECT_EQ(ReadConfigFile(Write(text)).status().code(), absl::StatusCode::kInvalidArgument)
        << text;
  }
  EXPECT_EQ(ReadConfigFile("/nonexistent/coxd.toml").status().code(), absl::StatusCode::kNotFound);
}

// Its settings would be the defaults, which let every client of this host be an operator.
TEST(Config, ADirectoryIsNoEmptyFile) {
  const absl::Status refused = ReadConfigFile("/tmp").status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(Message(refused).find("/tmp: is a directory"), std::string::npos) << refused;
  EXPECT_TRUE(ReadConfigFile("/dev/null").ok()) << "what is no file may be read";
}

TEST(Config, EachKeyRefusesNonsense) {
  for (const ConfigKey& key : ConfigKeys()) {
    const std::string name(key.name);
    const auto config = MakeConfig({{{name, ""}}});
    ASSERT_FALSE(config.ok()) << name;
    EXPECT_NE(Message(config.status()).find(name), std::string::npos) << config.status();
  }
  const std::pair<const char*, const char*> bad[] = {
      {"reflection", "yes"},      {"refine-interval", "5"}, {"refine-interval", "-1s"},
      {"drain-timeout", "inf"},   {"commit-delay", "11s"},  {"commit-rows", "0"},
      {"commit-rows", "1e3"},     {"queue-rows", "999"},    {"max-message", "1KiB"},
      {"max-message", "8 mib"},   {"max-streams", "-1"},    {"max-memory", "9999999999GiB"},
      {"listen", "0.0.0.0:7077"}, {"log-level", "verbose"}, {"max-message", "-8MiB"},
      {"socket-mode", "0888"},    {"socket-mode", "1777"},  {"socket-mode", "rw"},
      {"max-connections", "0"},   {"idle-timeout", "0s"}};
  for (const auto& [name, value] : bad) {
    EXPECT_FALSE(MakeConfig({{{name, value}}}).ok()) << name << " = " << value;
  }
}

}  // namespace
}  // namespace cox::daemon
