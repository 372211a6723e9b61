#include "agent/job/rendezvous.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "domain/collective.h"

namespace cox::agent {
namespace {

std::string Id(const char* name) { return std::string(name) + std::to_string(getpid()); }

TEST(RendezvousTest, ATablePassedIsTheSameMemory) {
  const std::string id = Id("same-memory");
  const int listener = ListenForTables(id.c_str());
  ASSERT_GE(listener, 0);
  int descriptor = -1;
  Table* mine = CreateTable(&descriptor);
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(AcceptTable(listener), nullptr);
  ASSERT_TRUE(PassTable(id.c_str(), descriptor));
  close(descriptor);
  Table* theirs = AcceptTable(listener);
  ASSERT_NE(theirs, nullptr);
  EXPECT_EQ(AcceptTable(listener), nullptr);

  mine->Add(Key::Make(domain::Collective::kBarrier, 2, 0, 4), 99);
  const Table::Half* half = theirs->Swap();
  ASSERT_EQ(half->used, 1);
  EXPECT_EQ(half->entry[0].sum_ns, 99);
  // The memory lives as long as one of both holds it.
  DestroyTable(mine);
  EXPECT_EQ(half->entry[0].sum_ns, 99);
  DestroyTable(theirs);
  close(listener);
}

TEST(RendezvousTest, NobodyListens) {
  int descriptor = -1;
  Table* table = CreateTable(&descriptor);
  EXPECT_FALSE(PassTable(Id("nobody").c_str(), descriptor));
  close(descriptor);
  DestroyTable(table);
}

TEST(RendezvousTest, ANameIsTakenOnce) {
  const std::string id = Id("taken");
  const int first = ListenForTables(id.c_str());
  ASSERT_GE(first, 0);
  EXPECT_EQ(ListenForTables(id.c_str()), -1);
  close(first);
  // Nothing is left behind: the name is free at once.
  const int second = ListenForTables(id.c_str());
  EXPECT_GE(second, 0);
  close(second);
}

TEST(RendezvousTest, LongNamesThatDifferOnlyAtTheEndAreApart) {
  const std::string id = Id("long") + std::string(500, 'x');
  const int first = ListenForTables((id + "1").c_str());
  const int second = ListenForTables((id + "2").c_str());
  EXPECT_GE(first, 0);
  EXPECT_GE(second, 0);
  close(first);
  close(second);
}

TEST(RendezvousTest, WhatIsNoTableIsSkipped) {
  const std::string id = Id("no-table");
  const int listener = ListenForTables(id.c_str());
  ASSERT_GE(listener, 0);
  const int empty = memfd_create("empty", MFD_CLOEXEC);
  ASSERT_TRUE(PassTable(id.c_str(), empty));
  const int blank = memfd_create("blank", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(blank, sizeof(Table)), 0);
  ASSERT_TRUE(PassTable(id.c_str(), blank));
  int descriptor = -1;
  Table* good = CreateTable(&descriptor);
  ASSERT_TRUE(PassTable(id.c_str(), descriptor));
  Table* accepted = AcceptTable(listener);
  EXPECT_NE(accepted, nullptr);
  EXPECT_EQ(AcceptTable(listener), nullptr);
  for (const int file : {empty, blank, descriptor, listener}) close(file);
  DestroyTable(accepted);
  DestroyTable(good);
}

}  // namespace
}  // namespace cox::agent
