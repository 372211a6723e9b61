#include "cli/exit_code.h"

#include <gtest/gtest.h>

namespace cox::cli {
namespace {

TEST(ExitCodeTest, ScriptsRelyOnTheNumbers) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), 0);
  EXPECT_EQ(ExitCodeOf(absl::InternalError("")), 1);
  EXPECT_EQ(ExitCodeOf(absl::CancelledError("")), 130);
  EXPECT_EQ(ExitCodeOf(absl::NotFoundError("")), 3);
  EXPECT_EQ(ExitCodeOf(absl::UnavailableError("")), 4);
  EXPECT_EQ(ExitCodeOf(absl::DeadlineExceededError("")), 4);
  EXPECT_EQ(ExitCodeOf(absl::ResourceExhaustedError("")), 4);
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("")), 5);
  EXPECT_EQ(ExitCodeOf(absl::AlreadyExistsError("")), 5);
}

TEST(ExitCodeTest, ARefusalStaysOneWithAnotherMessage) {
  absl::Status full = absl::ResourceExhaustedError("full");
  SetRefused(full);
  EXPECT_EQ(ExitCodeOf(full), 5);
  const absl::Status told = WithMessage(full, "rows.csv: full");
  EXPECT_EQ(told.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(told.message(), "rows.csv: full");
  EXPECT_EQ(ExitCodeOf(told), 5);
  EXPECT_EQ(ExitCodeOf(WithMessage(absl::ResourceExhaustedError("busy"), "rows.csv: busy")), 4);
}

}  // namespace
}  // namespace cox::cli
