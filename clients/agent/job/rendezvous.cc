#include "agent/job/rendezvous.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/job/log.h"

namespace cox::agent {
namespace {

constexpr int kPatienceForTableMs = 5;

// An abstract address (first byte 0) that only this user's launch computes. It has a hash of the
// id, which may be too long for an address. The hash is library/fingerprint.h's, written again
// because the agent links no C++ runtime library.
socklen_t AddressOf(const char* launch_id, sockaddr_un* address) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char* c = launch_id; *c != '\0'; ++c) {
    hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3;
  }
  memset(address, 0, sizeof(*address));
  address->sun_family = AF_UNIX;
  const int length =
      snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1, "coxswain-agent-%u-%016llx",
               static_cast<unsigned>(getuid()), static_cast<unsigned long long>(hash));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<size_t>(length));
}

bool SameUser(int connection) {
  ucred peer;
  socklen_t size = sizeof(peer);
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == getuid();
}

Table* Map(int descriptor) {
  void* memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<Table*>(memory);
}

// A message carries one descriptor.
union Control {
  cmsghdr header;
  char bytes[CMSG_SPACE(sizeof(int))];
};

int ReceiveDescriptor(int connection) {
  char byte;
  iovec data = {&byte, 1};
  Control control;
  msghdr message = {};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control.bytes;
  message.msg_controllen = sizeof(control.bytes);
  if (recvmsg(connection, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1) return -1;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS || header->cmsg_level != SOL_SOCKET) {
    return -1;
  }
  // The system has opened all descriptors that fit, also those of a message with too many.
  int descriptor = -1;
  const size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (size_t i = 0; i < count; ++i) {
    int received;
    memcpy(&received, CMSG_DATA(header) + i * sizeof(int), sizeof(received));
    if (count == 1) {
      descriptor = received;
    } else {
      close(received);
    }
  }
  return descriptor;
}

}  // namespace

Table* CreateTable(int* descriptor) {
  *descriptor = memfd_create("coxswain-agent", MFD_CLOEXEC);
  if (*descriptor < 0) {
    Log("off: no shared memory: %s", strerror(errno));
    return nullptr;
  }
  Table* table = nullptr;
  if (ftruncate(*descriptor, sizeof(Table)) == 0) table = Map(*descriptor);
  if (table == nullptr) {
    Log("off: no memory for the table: %s", strerror(errno));
    close(*descriptor);
    *descriptor = -1;
    return nullptr;
  }
  table->Initialise();
  return table;
}

void DestroyTable(Table* table) { munmap(table, sizeof(Table)); }

int ListenForTables(const char* launch_id) {
  const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (listener < 0) return -1;
  sockaddr_un address;
  const socklen_t size = AddressOf(launch_id, &address);
  // The backlog is larger than the ranks of any node.
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      listen(listener, 4096) != 0) {
    Log("other ranks of this node are not timed: cannot listen for their tables: %s",
        strerror(errno));
    close(listener);
    return -1;
  }
  return listener;
}

bool PassTable(const char* launch_id, int descriptor) {
  const int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (connection < 0) return false;
  sockaddr_un address;
  const socklen_t size = AddressOf(launch_id, &address);
  bool passed = false;
  if (connect(connection, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
      SameUser(connection)) {
    char byte = 0;
    iovec data = {&byte, 1};
    Control control;
    memset(&control, 0, sizeof(control));
    msghdr message = {};
    message.msg_iov = &data;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof(control.bytes);
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof(descriptor));
    passed = sendmsg(connection, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
  }
  // The message waits for the listener; this end can close.
  close(connection);
  return passed;
}

Table* AcceptTable(int listener) {
  for (;;) {
    const int connection = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0) return nullptr;
    int descriptor = -1;
    if (SameUser(connection)) {
      // Its rank has connected, and sends at once.
      pollfd sent = {connection, POLLIN, 0};
      poll(&sent, 1, kPatienceForTableMs);
      descriptor = ReceiveDescriptor(connection);
    }
    close(connection);
    if (descriptor < 0) continue;
    struct stat status;
    Table* table = nullptr;
    if (fstat(descriptor, &status) == 0 && status.st_size == static_cast<off_t>(sizeof(Table))) {
      table = Map(descriptor);
    }
    close(descriptor);
    if (table == nullptr) continue;
    if (table->valid()) return table;
    DestroyTable(table);
  }
}

}  // namespace cox::agent
