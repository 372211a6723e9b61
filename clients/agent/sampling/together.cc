#include "agent/sampling/together.h"

#include "agent/job/log.h"
#include "agent/job/process.h"
#include "agent/sampling/agreement.h"
#include "agent/sampling/synchronise.h"
#include "agent/steering/steering.h"

namespace cox::agent {
namespace {

struct Shared {
  Part part;
  bool (*wants)();
  bool (*prepare)();
  void (*start)();
  const char* why_not;
};

constexpr Shared kParts[] = {
    {kSamples, WantsToSynchronise, PrepareSynchronising, StartSynchronising,
     "no synchronised samples: COX_SYNC is not set on all ranks"},
    {kSteers, WantsToApply, PrepareSteering, StartSteering,
     "calls are not steered: COX_APPLY is not set on all ranks, or one of them cannot steer"},
};

bool begun = false;

}  // namespace

void StartTogether() {
  if (begun) return;
  begun = true;
  bool wants_any = false;
  uint8_t own = 0;
  for (const Shared& one : kParts) {
    if (!one.wants()) continue;
    wants_any = true;
    if (one.prepare()) own |= one.part;
  }
  if (!wants_any) return;
  const uint8_t all = AgreeOn(own);
  for (const Shared& one : kParts) {
    if ((all & one.part) != 0) {
      one.start();
    } else if (one.wants()) {
      Log("%s", one.why_not);
    }
  }
}

}  // namespace cox::agent
