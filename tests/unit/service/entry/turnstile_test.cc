#include "service/entry/turnstile.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace cox::service {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(TurnstileTest, AdmitsUntilItIsClosed) {
  Turnstile turnstile;
  EXPECT_TRUE(turnstile.Admit());
  turnstile.Close();
  EXPECT_FALSE(turnstile.Admit());
}

TEST(TurnstileTest, WaitsNoLongerForOneWhoNeverGoes) {
  Turnstile turnstile;
  turnstile.Close();
  std::atomic<bool> end = false;
  std::thread caller([&] {
    while (!end) turnstile.Admit();
  });
  const auto deadline = steady_clock::now() + milliseconds(50);
  // Longer than a busy machine may keep the caller from calling.
  turnstile.AwaitQuiet(std::chrono::seconds(30), deadline);
  EXPECT_GE(steady_clock::now(), deadline);
  EXPECT_LT(steady_clock::now(), deadline + std::chrono::seconds(20));
  end = true;
  caller.join();
}

}  // namespace
}  // namespace cox::service
