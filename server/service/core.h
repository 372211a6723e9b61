// What the services share. Plain wiring: made by the server, outlives every service.
#ifndef COX_SERVICE_CORE_H_
#define COX_SERVICE_CORE_H_

#include "service/blocking_pool.h"
#include "service/learner.h"
#include "service/profile_feed.h"
#include "service/snapshots.h"
#include "service/stream_registry.h"
#include "store/store.h"

namespace cox::service {

struct Core {
  store::Store* store;
  Snapshots* snapshots;
  ProfileFeed* feed;
  Learner* learner;
  BlockingPool* pool;
  StreamRegistry* streams;
};

}  // namespace cox::service

#endif  // COX_SERVICE_CORE_H_
