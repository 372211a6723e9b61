#include "domain/reports/final_answer.h"

#include <gtest/gtest.h>

#include <string>

namespace cox::domain {
namespace {

enum Code : int64_t { kOk = 0, kInvalid = 3, kExhausted = 8, kInternal = 13, kUnavailable = 14 };

TEST(MayAnotherTakeTest, WhatIsOutOfOrderHere) {
  EXPECT_TRUE(MayAnotherTake(kExhausted, "disk full: database or disk is full"));
  EXPECT_TRUE(MayAnotherTake(kExhausted, "the relay cannot spool: disk full: no 64 KiB in /x"));
  EXPECT_TRUE(MayAnotherTake(kExhausted, "PostgreSQL: sorry, too many clients already (53300)"));
  EXPECT_TRUE(MayAnotherTake(kUnavailable, "no connection to the database db on host"));
  EXPECT_TRUE(MayAnotherTake(kUnavailable, "disk I/O error"));
  EXPECT_TRUE(MayAnotherTake(kInternal, ""));
}

TEST(MayAnotherTakeTest, WhatItKeepsOrLimits) {
  EXPECT_FALSE(MayAnotherTake(
      kUnavailable, "coxd has not answered yet; " + std::string(kInSpool) + ": send it again"));
  EXPECT_FALSE(MayAnotherTake(kExhausted, "write queue full: 9 rows wait (9 of this reporter)"));
  EXPECT_FALSE(MayAnotherTake(kExhausted, "the relay's spool is full (relay-spool, 65536 bytes)"));
  EXPECT_FALSE(MayAnotherTake(kInvalid, "disk full"));
  EXPECT_FALSE(MayAnotherTake(kOk, ""));
}

}  // namespace
}  // namespace cox::domain
