// Names a thread, so that `top -H`, a debugger and a core file tell what it does.
//
// Header only.
#ifndef COX_DOMAIN_SHARING_NAME_THREAD_H_
#define COX_DOMAIN_SHARING_NAME_THREAD_H_

#include <pthread.h>

namespace cox::domain {

// Linux keeps 15 characters; a longer name changes nothing.
inline void NameThisThread(const char* name) { pthread_setname_np(pthread_self(), name); }

}  // namespace cox::domain

#endif  // COX_DOMAIN_SHARING_NAME_THREAD_H_
