// What comes to the socket by which the ranks of a node pass their tables: up to eight messages,
// each with descriptors of some kind. What is accepted is a table, and reading it stays inside of
// it. No descriptor stays open.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>

#include "agent/job/rendezvous.h"
#include "agent/timing/table.h"
#include "expect.h"

using cox::agent::Table;
using cox::fuzz::Expect;

namespace {

constexpr int kMostMessages = 8;
constexpr size_t kMostDescriptors = 3;

int64_t OpenDescriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// A file in memory of `file_bytes`, which begins with `content`.
int MemoryWith(size_t file_bytes, uint64_t magic, const uint8_t* content, size_t size) {
  const int file = memfd_create("fuzz", MFD_CLOEXEC);
  Expect(file >= 0 && ftruncate(file, static_cast<off_t>(file_bytes)) == 0, "no memory");
  size = std::min(size, file_bytes - sizeof(magic));
  Expect(pwrite(file, &magic, sizeof(magic), 0) == sizeof(magic), "cannot write");
  Expect(pwrite(file, content, size, sizeof(magic)) == static_cast<ssize_t>(size), "cannot write");
  return file;
}

int DescriptorOf(uint8_t kind, const uint8_t* content, size_t size) {
  switch (kind % 4) {
    case 0:
      return MemoryWith(sizeof(Table), Table::kMagic, content, size);
    case 1:
      return MemoryWith(sizeof(Table), kind, content, size);
    case 2:
      return MemoryWith(sizeof(Table) - 8, Table::kMagic, content, size);
    default:
      return open("/dev/null", O_RDWR | O_CLOEXEC);
  }
}

void Send(int listener, const int* descriptors, size_t count, size_t bytes) {
  sockaddr_un address{};
  socklen_t size = sizeof(address);
  getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  Expect(connect(connection, reinterpret_cast<const sockaddr*>(&address), size) == 0,
         "cannot connect");
  char text[2] = {};
  iovec data = {text, bytes};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int) * kMostDescriptors)] = {};
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  if (count > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int) * count);
    memcpy(CMSG_DATA(header), descriptors, sizeof(int) * count);
  }
  if (bytes > 0) sendmsg(connection, &message, MSG_NOSIGNAL);
  close(connection);
}

void Read(Table* table) {
  Expect(table->valid(), "no table");
  const auto first = reinterpret_cast<uintptr_t>(table);
  for (int i = 0; i < 2; ++i) {
    const Table::Half* const half = table->Swap();
    if (half == nullptr) continue;  // the lock is busy
    const auto at = reinterpret_cast<uintptr_t>(half);
    Expect(at >= first && at + sizeof(*half) <= first + sizeof(Table), "a half outside");
  }
  for (int i = 0; i < cox::agent::Sketches::kMost; ++i) {
    cox::domain::PatternKind kind = {};
    int ranks = 0;
    cox::agent::SketchSums sums;
    table->sketches().Take(i, &kind, &ranks, &sums);
  }
  for (int i = 0; i < cox::agent::kTotalCount; ++i) table->totals().Of(i);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int kListener =
      cox::agent::ListenForTables(("fuzz" + std::to_string(getpid())).c_str());
  Expect(kListener >= 0, "cannot listen");
  const int64_t before = OpenDescriptors();
  for (int messages = 0; size >= 3 && messages < kMostMessages; ++messages) {
    const uint8_t kind = data[0];
    const size_t count = data[1] % (kMostDescriptors + 1);
    const size_t bytes = data[2] % 3;
    data += 3;
    size -= 3;
    int descriptors[kMostDescriptors];
    for (size_t i = 0; i < count; ++i) descriptors[i] = DescriptorOf(kind, data, size);
    Send(kListener, descriptors, count, bytes);
    for (size_t i = 0; i < count; ++i) close(descriptors[i]);
  }
  int tables = 0;
  while (Table* table = cox::agent::AcceptTable(kListener)) {
    Expect(++tables <= kMostMessages, "tables out of nowhere");
    Read(table);
    cox::agent::DestroyTable(table);
  }
  Expect(OpenDescriptors() == before, "a descriptor stays open");
  return 0;
}
