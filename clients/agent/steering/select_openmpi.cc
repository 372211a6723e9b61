#include <stdio.h>

#include "agent/job/library.h"
#include "agent/steering/control_variables.h"
#include "agent/steering/making_budget.h"
#include "agent/steering/private_comm.h"
#include "agent/steering/select.h"
#include "agent/timing/recorder.h"
#include "domain/collective.h"

namespace cox::agent {
namespace {

constexpr int kIgnore = 0;

struct State {
  Variable algorithm[domain::kCollectiveCount];
  int duplicates;  // of all communicators together
  MPI_Fint (*comm_c2f)(MPI_Comm);
};
State state;

enum class Making : uint8_t { kMade, kNotYet, kRefused };

// What each rank reports before one is made: the calls until it can. The maximum decides.
constexpr double kNow = 0;
constexpr double kAnyTime = 1;  // room appears when other communicators are freed
constexpr double kNever = 2 * kMostCallsBetween;

// Called by all ranks in the same call. If any rank cannot make one, or its program has set the
// variable through MPI_T, none does; all get the same answer. kNotYet has counted as a refusal.
Making Make(MPI_Comm comm, PrivateCommBackoff* backoff, Duplicate* made) {
  const Variable& algorithm = state.algorithm[made->collective];
  const bool has_room = state.duplicates < kMostDuplicatesOfJob;
  int programs = kIgnore;
  const bool is_free = algorithm.Read(&programs) && programs == kIgnore;
  const double own = !is_free || !has_room            ? kAnyTime
                     : !algorithm.Write(made->number) ? kNever
                                                      : CallsUntilMaking(comm, *backoff);
  double greatest = kNever;
  const bool is_answered = AskAll(comm, &own, &greatest, 1);
  const MakingTime time(1);
  const bool is_made =
      is_answered && greatest == kNow && MakePrivateComm(For::kProgram, comm, &made->comm);
  if (is_free) algorithm.Write(kIgnore);
  if (!is_made) {
    if (!is_answered || greatest == kNow || greatest >= kNever) return Making::kRefused;
    backoff->Refuse(greatest);
    return Making::kNotYet;
  }
  made->fortran = state.comm_c2f(made->comm);
  ++state.duplicates;
  return Making::kMade;
}

Duplicate* Find(Controlled* controlled, domain::Collective collective, int number) {
  for (int i = 0; i < controlled->count; ++i) {
    Duplicate& duplicate = controlled->duplicate[i];
    if (duplicate.number == number && duplicate.collective == static_cast<int8_t>(collective)) {
      return &duplicate;
    }
  }
  return nullptr;
}

}  // namespace

const char* PrepareControl(bool (&left)[domain::kCollectiveCount]) {
  if (!LoadFunction(&state.comm_c2f, "PMPI_Comm_c2f"))
    return "a function is missing from the MPI library";
  if (!StartVariables()) return "Open MPI gives no access to its parameters";
  Variable dynamic;
  if (!dynamic.Find("coll_tuned_use_dynamic_rules") || !dynamic.IsOn()) {
    return "Open MPI takes no selection; set OMPI_MCA_coll_tuned_use_dynamic_rules=1 when the job "
           "starts";
  }
  Variable file;
  if (file.Find("coll_tuned_dynamic_rules_filename") && !file.IsEmptyText()) {
    return "coll_tuned_dynamic_rules_filename names a rules file; unset it to steer";
  }
  for (int i = 0; i < domain::kCollectiveCount; ++i) {
    char name[96];
    snprintf(name, sizeof(name), "coll_tuned_%s_algorithm", domain::kCollectiveNames[i]);
    int value = kIgnore;
    left[i] =
        !state.algorithm[i].Find(name) || !state.algorithm[i].Read(&value) || value != kIgnore;
  }
  return nullptr;
}

void EndControl() { EndVariables(); }

// What the program sets holds for the communicators that it makes from then on, and only Make()
// makes one in its place.
bool IsSetByProgram(domain::Collective /*collective*/) { return false; }

Selection Select(MPI_Comm comm, Controlled* controlled, domain::Collective collective, int number) {
  const Selection not_selected = {false, comm, 0, kIgnore};
  Duplicate* duplicate = Find(controlled, collective, number);
  if (duplicate == nullptr) [[unlikely]] {
    if (controlled->is_given_up || controlled->count == kMostDuplicates ||
        !controlled->backoff.IsDue(comm == library.world)) {
      return not_selected;
    }
    duplicate = &controlled->duplicate[controlled->count];
    *duplicate = {static_cast<int8_t>(collective), static_cast<int8_t>(number), comm, 0};
    ++agent_calls;
    const Making making = Make(comm, &controlled->backoff, duplicate);
    --agent_calls;
    controlled->is_given_up = making == Making::kRefused;
    if (making != Making::kMade) return not_selected;
    ++controlled->count;
  }
  return {true, duplicate->comm, duplicate->fortran, kIgnore};
}

void Restore(domain::Collective /*collective*/, int /*before*/) {}

void Release(Controlled* controlled, bool is_over) {
  const MakingTime time(0);
  for (int i = 0; i < controlled->count; ++i) {
    --state.duplicates;
    if (!is_over) FreePrivateComm(For::kProgram, &controlled->duplicate[i].comm);
  }
  controlled->count = 0;
}

}  // namespace cox::agent
