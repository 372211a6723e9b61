#include "agent/job/rendezvous.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <iterator>
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

int64_t OpenDescriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

TEST(RendezvousTest, AMessageWithTwoDescriptorsLeavesNoneOpen) {
  const std::string id = Id("two");
  const int listener = ListenForTables(id.c_str());
  ASSERT_GE(listener, 0);
  sockaddr_un address{};
  socklen_t size = sizeof(address);
  ASSERT_EQ(getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ASSERT_EQ(connect(connection, reinterpret_cast<const sockaddr*>(&address), size), 0);
  const int64_t before = OpenDescriptors();
  const int two[] = {listener, listener};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(two))] = {};
  char byte = 0;
  iovec data = {&byte, 1};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof(control);
  cmsghdr* const header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(two));
  memcpy(CMSG_DATA(header), two, sizeof(two));
  ASSERT_EQ(sendmsg(connection, &message, 0), 1);
  EXPECT_EQ(AcceptTable(listener), nullptr);
  EXPECT_EQ(OpenDescriptors(), before);
  close(connection);
  close(listener);
}

}  // namespace
}  // namespace cox::agent
