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
  const auto deadline = steady_clock::now() + milliseconds(800);
  // Longer than a busy machine keeps the caller from calling.
  turnstile.AwaitQuiet(milliseconds(500), deadline);
  EXPECT_GE(steady_clock::now(), deadline);
  end = true;
  caller.join();
}

}  // namespace
}  // namespace cox::service
