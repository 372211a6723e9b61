#include "accounts/become_owner.h"

#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>

namespace cox::accounts {
namespace {

// Keeps no capability but this one, which may be missing: a container can be without it.
bool KeepOnly(int capability) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  for (int word = 0; word < _LINUX_CAPABILITY_U32S_3; ++word) {
    const uint32_t wanted = word == CAP_TO_INDEX(capability) ? CAP_TO_MASK(capability) : 0;
    data[word].permitted &= wanted;
    data[word].effective = data[word].permitted;
    data[word].inheritable = 0;
  }
  return syscall(SYS_capset, &header, data) == 0;
}

}  // namespace

bool BecomeOwner(const std::string& directory) {
  if (geteuid() != 0) return true;
  struct stat status = {};
  if (stat(directory.c_str(), &status) != 0) return errno == ENOENT;
  if (status.st_uid == 0) return true;
  return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) == 0 && setgroups(0, nullptr) == 0 &&
         setresgid(status.st_gid, status.st_gid, status.st_gid) == 0 &&
         setresuid(status.st_uid, status.st_uid, status.st_uid) == 0 &&
         KeepOnly(CAP_DAC_READ_SEARCH);
}

}  // namespace cox::accounts
