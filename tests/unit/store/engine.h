// The fixture of tests that hold for every engine of the store: each runs on SQLite, and on
// PostgreSQL if it is installed. The server is started once per process and each test has a
// database of its own.
#ifndef COX_TESTS_UNIT_STORE_ENGINE_H_
#define COX_TESTS_UNIT_STORE_ENGINE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scratch.h"
#include "store/store.h"

namespace cox::store {

enum class Engine { kSqlite, kPostgres };

// Those that are installed here.
std::vector<Engine> Engines();
std::string EngineName(const ::testing::TestParamInfo<Engine>& info);

class StoreTest : public ::testing::TestWithParam<Engine> {
 protected:
  ~StoreTest() override;
  // Of the test's own database.
  StoreOptions Options();
  std::unique_ptr<Store> Open() { return Open(Options()); }
  std::unique_ptr<Store> Open(const StoreOptions& options) {
    return Open(options, RealSurroundings().now_us);
  }
  std::unique_ptr<Store> Open(const StoreOptions& options, std::function<int64_t()> now_us,
                              std::function<int64_t()> steady_us = RealSurroundings().steady_us);
  // The number that a statement returns, beside the store.
  int64_t Ask(const std::string& sql);

 private:
  ScratchDirectory scratch_;
  std::string url_;  // of PostgreSQL, after the first Options()
};

#define COX_ON_EACH_ENGINE(Suite) \
  INSTANTIATE_TEST_SUITE_P(Store, Suite, ::testing::ValuesIn(Engines()), EngineName)

}  // namespace cox::store

#endif  // COX_TESTS_UNIT_STORE_ENGINE_H_
