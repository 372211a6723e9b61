#include "collectives/engine/window.h"

#include <gtest/gtest.h>

namespace cox::collectives {
namespace {

// Begins as many steps as the window allows.
int Fill(Window* window) {
  int last = 0;
  while (window->CanBegin()) last = window->Begin();
  return last;
}

TEST(Window, HoldsSoManyAndNoMore) {
  Window window(7, 3);
  EXPECT_EQ(Fill(&window), 3);
  EXPECT_EQ(window.under_way(), 3);
  window.End();
  EXPECT_EQ(Fill(&window), 4);
  EXPECT_EQ(window.under_way(), 3);
}

TEST(Window, EndsWithTheSteps) {
  Window window(4, 3);
  int last = 0;
  int begun = 0;
  while (window.CanBegin()) {
    last = window.Begin();
    window.End();
    ++begun;
  }
  EXPECT_EQ(last, 4);
  EXPECT_EQ(begun, 4);
}

TEST(Window, NoneStatedIsAllAtOnce) {
  Window window(5, 0);
  EXPECT_EQ(Fill(&window), 5);
}

TEST(Window, LargerThanAllIsAll) {
  Window window(5, int64_t{1} << 40);
  EXPECT_EQ(Fill(&window), 5);
}

TEST(Window, NothingToDo) { EXPECT_FALSE(Window(0, 4).CanBegin()); }

}  // namespace
}  // namespace cox::collectives
