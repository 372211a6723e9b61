// Does something as another user. Needs root.
#ifndef COX_TESTS_UNIT_AS_USER_H_
#define COX_TESTS_UNIT_AS_USER_H_

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <thread>

namespace cox {

// In a thread of its own: libc's function would change the user of all threads.
template <typename Function>
void AsUser(uid_t user, Function function) {
  std::thread([&] {
    if (syscall(SYS_setresuid, -1, user, -1) == 0) function();
  }).join();
}

}  // namespace cox

#endif  // COX_TESTS_UNIT_AS_USER_H_
