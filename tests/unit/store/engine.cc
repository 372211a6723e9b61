#include "engine.h"

#include <cstdlib>

#include "postgres/server.h"
#include "store/postgres/connection/query.h"
#include "store/postgres/postgres_store.h"
#include "store/postgres/schema.h"

namespace cox::store {

std::vector<Engine> Engines() {
  if (!PostgresServer::WhyMissing().empty()) return {Engine::kSqlite};
  return {Engine::kSqlite, Engine::kPostgres};
}

std::string EngineName(const ::testing::TestParamInfo<Engine>& info) {
  return info.param == Engine::kSqlite ? "sqlite" : "postgres";
}

StoreTest::~StoreTest() {
  if (!url_.empty()) PostgresServer::Shared().DropDatabase(url_);
}

StoreOptions StoreTest::Options() {
  StoreOptions options;
  if (GetParam() == Engine::kSqlite) {
    options.directory = scratch_.path();
  } else {
    if (url_.empty()) url_ = PostgresServer::Shared().NewDatabase();
    options.url = url_;
  }
  return options;
}

std::unique_ptr<Store> StoreTest::Open(const StoreOptions& options, std::function<int64_t()> now_us,
                                       std::function<int64_t()> steady_us) {
  Surroundings surroundings = RealSurroundings();
  surroundings.now_us = now_us;
  surroundings.steady_us = steady_us;
  auto store = GetParam() == Engine::kSqlite ? OpenSqliteIn(options, surroundings)
                                             : postgres::OpenIn(options, now_us, steady_us);
  if (!store.ok()) {
    ADD_FAILURE() << store.status();
    std::abort();
  }
  return *std::move(store);
}

int64_t StoreTest::Ask(const std::string& sql) {
  if (GetParam() == Engine::kSqlite) {
    const std::unique_ptr<Database> db = MustConnect(scratch_);
    Query query(*db, sql);
    return query.Next() ? query.Int(0) : -1;
  }
  postgres::Session session(Options().url, postgres::kSetUp);
  if (!session.Connect().ok()) return -1;
  return postgres::Query(session, sql).Number().value_or(-1);
}

}  // namespace cox::store
