// Lets a command of root write into another user's directory.
//
// Root itself must not write there: the owner could put a link in the place of a file, and root
// would change what the link names. And files of root would be closed to the owner.
#ifndef COX_ACCOUNTS_BECOME_OWNER_H_
#define COX_ACCOUNTS_BECOME_OWNER_H_

#include <string>

namespace cox::accounts {

// Turns a process of root into one of the user and group that own the directory, for ever. It can
// still read all files and search all directories (CAP_DAC_READ_SEARCH), if it could before:
// systemd keeps the state of a unit with DynamicUser in a directory of root, and a backup may
// belong to root. Does nothing if the process is not root's, if root owns the directory, or if
// there is none. False with errno: it failed, and the process must end.
//
// Call it before the process has threads.
bool BecomeOwner(const std::string& directory);

}  // namespace cox::accounts

#endif  // COX_ACCOUNTS_BECOME_OWNER_H_
