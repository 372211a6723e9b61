// The store on PostgreSQL with several hosts in its URL: which one it leaves, and when.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "postgres/server.h"
#include "scratch.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/schema.h"

namespace cox::store {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

// Two servers that know nothing of each other. The database of a test has the same name on both.
class PostgresHostsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!PostgresServer::WhyMissing().empty()) return;
    first_ = new PostgresServer();
    second_ = new PostgresServer();
  }
  static void TearDownTestSuite() {
    delete first_;
    delete second_;
  }
  void SetUp() override {
    if (!PostgresServer::WhyMissing().empty()) GTEST_SKIP() << PostgresServer::WhyMissing();
    first_url_ = first_->NewDatabase();
    second_url_ = second_->NewDatabase();
  }
  // Names both hosts, in this order.
  std::string BothUrl() const {
    const std::string host = "host=";
    const size_t begin = second_url_.find(host) + host.size();
    const std::string second = second_url_.substr(begin, second_url_.find('&') - begin);
    std::string url = first_url_;
    return url.insert(url.find('&'), "," + second);
  }
  static std::unique_ptr<postgres::Session> Connect(const std::string& url) {
    auto session = std::make_unique<postgres::Session>(url, postgres::kSetUp);
    EXPECT_TRUE(session->Connect().ok());
    return session;
  }
  static std::unique_ptr<Store> Open(const std::string& url) {
    StoreOptions options;
    options.url = url;
    auto store = OpenStore(options);
    EXPECT_TRUE(store.ok()) << store.status();
    EXPECT_TRUE((*store)->CreateMachine(MachineNamed("m"), "").ok());
    return *std::move(store);
  }

  static inline PostgresServer* first_ = nullptr;
  static inline PostgresServer* second_ = nullptr;
  std::string first_url_;
  std::string second_url_;
};

TEST_F(PostgresHostsTest, AServerThatBecomesReadOnlyIsLeft) {
  Open(second_url_).reset();
  const auto store = Open(BothUrl() + "&target_session_attrs=read-write");
  ASSERT_TRUE(Append(*store, BatchOf("m", "before", 1, 3)).ok());
  ASSERT_EQ(store->CountObservations({})->observation_count, 3);
  const auto first = Connect(first_url_);
  const auto second = Connect(second_url_);
  // For sessions that are open, too.
  ASSERT_TRUE(first->Execute("ALTER SYSTEM SET default_transaction_read_only = on").ok());
  ASSERT_TRUE(first->Execute("SELECT pg_reload_conf()").ok());
  const auto on_second = [&] {
    return postgres::Query(*second, "SELECT count(*) FROM observation").Number().value_or(-1);
  };
  const Clock::time_point deadline = Clock::now() + seconds(20);
  for (int64_t i = 1; on_second() == 0 && Clock::now() < deadline; ++i) {
    Append(*store, BatchOf("m", "after", i, 5)).IgnoreError();
  }
  EXPECT_EQ(on_second(), 5);
  EXPECT_EQ(store->CountObservations({})->observation_count, 5) << "reads from the old server";
  EXPECT_TRUE(store->Check().ok()) << store->Check();
  EXPECT_TRUE(first->Execute("SET default_transaction_read_only = off").ok());
  EXPECT_TRUE(first->Execute("ALTER SYSTEM RESET default_transaction_read_only").ok());
  EXPECT_TRUE(first->Execute("SELECT pg_reload_conf()").ok());
}

TEST_F(PostgresHostsTest, AServerThatHangsIsLeft) {
  const auto session = Connect(BothUrl());
  first_->Pause();
  std::future<absl::Status> answer =
      std::async(std::launch::async, [&] { return session->Execute("SELECT 1"); });
  const bool is_left = answer.wait_for(seconds(30)) == std::future_status::ready;
  EXPECT_TRUE(is_left);
  if (is_left) {
    EXPECT_TRUE(absl::IsUnavailable(answer.get()));
    EXPECT_TRUE(session->Connect().ok());
    EXPECT_TRUE(session->Execute("SELECT 1").ok()) << "on the second";
  }
  first_->Resume();
}

// As one whose backend alone hangs: the server answers others.
TEST_F(PostgresHostsTest, AStatementIsNotWaitedForWithoutEnd) {
  const auto session = Connect(first_url_);
  session->AllowSilence(seconds(3));
  const Clock::time_point begin = Clock::now();
  const absl::Status left = session->Execute("SELECT pg_sleep(60)");
  EXPECT_TRUE(absl::IsUnavailable(left)) << left;
  EXPECT_LT(Clock::now() - begin, seconds(30));
  EXPECT_TRUE(session->HasHung());
}

}  // namespace
}  // namespace cox::store
