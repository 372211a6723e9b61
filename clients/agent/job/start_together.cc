#include "agent/job/start_together.h"

#include "agent/job/library.h"
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
  const char* (*prepare)();
  void (*start)();
  const char* without;  // what the job does not get
  const char* why_not;  // where the rank that says so could do it
};

constexpr Shared kParts[] = {
    {kSamples, WantsToSynchronise, PrepareSynchronising, StartSynchronising,
     "no synchronised samples", "COX_SYNC is not set on all ranks"},
    {kSteers, WantsToApply, PrepareSteering, StartSteering, "calls are not steered",
     "COX_APPLY is not set on all ranks, or one of them cannot steer"},
};
constexpr int kPartCount = sizeof(kParts) / sizeof(kParts[0]);

bool begun = false;

}  // namespace

void StartTogether() {
  if (begun) return;
  begun = true;
  bool wants_any = false;
  uint8_t own = 0;
  const char* reasons[kPartCount] = {};
  for (int i = 0; i < kPartCount; ++i) {
    if (!kParts[i].wants()) continue;
    wants_any = true;
    reasons[i] = kParts[i].prepare();
    if (reasons[i] == nullptr) own |= kParts[i].part;
  }
  if (!wants_any) return;
  const Agreement all = AgreeOn(own);
  // One line per job: rank 0 writes it, or rank 1 if rank 0 takes no part.
  const bool speaks = library.world_rank == (all.is_heard ? 0 : 1);
  for (int i = 0; i < kPartCount; ++i) {
    const Shared& one = kParts[i];
    if ((all.parts & one.part) != 0) {
      one.start();
    } else if (one.wants() && speaks) {
      Log("%s: %s", one.without, reasons[i] != nullptr ? reasons[i] : one.why_not);
    }
  }
}

}  // namespace cox::agent
