#include <stdio.h>

#include "agent/control.h"
#include "agent/library.h"
#include "agent/private_comm.h"
#include "agent/recorder.h"
#include "agent/variables.h"

namespace cox::agent {
namespace {

constexpr int kIgnore = 0;

struct State {
  Variable algorithm[kCollectiveCount];
  int duplicates;  // of all communicators
  MPI_Fint (*comm_c2f)(MPI_Comm);
};
State state;

// All ranks are here, in the same call. Those that cannot say so, and then nobody makes one.
Duplicate Make(MPI_Comm comm, Collective collective, int number) {
  const Variable& algorithm = state.algorithm[static_cast<int>(collective)];
  Duplicate made = {static_cast<int8_t>(collective), static_cast<int8_t>(number), false, comm, 0};
  const bool has_room = state.duplicates < kMostDuplicatesOfJob;
  const double own = has_room && algorithm.Write(number) ? 0.0 : 1.0;
  double any = 1;
  made.usable =
      AskAll(comm, &own, &any, 1) && any == 0 && MakePrivateComm(For::kProgram, comm, &made.comm);
  algorithm.Write(kIgnore);
  if (made.usable) {
    made.fortran = state.comm_c2f(made.comm);
    ++state.duplicates;
  }
  return made;
}

Duplicate* Find(Controlled* controlled, Collective collective, int number) {
  for (int i = 0; i < controlled->count; ++i) {
    Duplicate& duplicate = controlled->duplicate[i];
    if (duplicate.number == number && duplicate.collective == static_cast<int8_t>(collective)) {
      return &duplicate;
    }
  }
  return nullptr;
}

}  // namespace

const char* PrepareControl(bool (&left)[kCollectiveCount]) {
  if (!LoadFunction(&state.comm_c2f, "PMPI_Comm_c2f")) return "the MPI library lacks functions";
  if (!StartVariables()) return "the MPI library has no tools interface";
  Variable dynamic;
  int is_on = 0;
  if (!dynamic.Find("coll_tuned_use_dynamic_rules") || !dynamic.Read(&is_on) || is_on == 0) {
    return "coll_tuned_use_dynamic_rules is not 1 (OMPI_MCA_coll_tuned_use_dynamic_rules=1 at the "
           "job's start)";
  }
  Variable file;
  if (file.Find("coll_tuned_dynamic_rules_filename") && !file.IsEmptyText()) {
    return "a file of rules is set already";
  }
  for (int i = 0; i < kCollectiveCount; ++i) {
    char name[96];
    snprintf(name, sizeof(name), "coll_tuned_%s_algorithm", kCollectiveNames[i]);
    int value = kIgnore;
    left[i] =
        !state.algorithm[i].Find(name) || !state.algorithm[i].Read(&value) || value != kIgnore;
  }
  return nullptr;
}

void EndControl() { EndVariables(); }

Told Tell(MPI_Comm comm, Controlled* controlled, Collective collective, int number) {
  Duplicate* duplicate = Find(controlled, collective, number);
  if (duplicate == nullptr) [[unlikely]] {
    const bool is_worth = comm == library.world || ++controlled->calls > kCallsBeforePrivate;
    if (!is_worth || controlled->is_given_up || controlled->count == kMostDuplicates) {
      return {false, comm, 0, kIgnore};
    }
    duplicate = &controlled->duplicate[controlled->count++];
    ++own_calls;
    *duplicate = Make(comm, collective, number);
    --own_calls;
    controlled->is_given_up = !duplicate->usable;
  }
  return {duplicate->usable, duplicate->comm, duplicate->fortran, kIgnore};
}

void Untell(Collective /*collective*/, int /*before*/) {}

void Release(Controlled* controlled, bool is_over) {
  for (int i = 0; i < controlled->count; ++i) {
    Duplicate& duplicate = controlled->duplicate[i];
    if (!duplicate.usable) continue;
    --state.duplicates;
    if (!is_over) FreePrivateComm(For::kProgram, &duplicate.comm);
  }
  controlled->count = 0;
}

}  // namespace cox::agent
