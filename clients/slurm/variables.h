// The environment of a step's tasks, as a SPANK plugin sees it, and the variables that hooks have
// set in it. One thread.
#ifndef COX_SLURM_VARIABLES_H_
#define COX_SLURM_VARIABLES_H_

#include <slurm/spank.h>
#include <stdbool.h>
#include <stddef.h>

// Hidden from the program that loads the plugin.
#pragma GCC visibility push(hidden)

#define PATH_BYTES 4096
// Lists the variables that a hook has set: NAME:FINGERPRINT of each value (cox_hash), with commas.
#define SET_VARIABLE "COX_SET"

// The job's variables: in srun the process's environment, in a task the one that Slurm holds.
struct variables {
  spank_t spank;
  bool remote;
};

// Copies the value to `buffer` and returns it; empty when it is not set or does not fit.
const char* cox_get(const struct variables* of, const char* name, char* buffer, size_t size);

void cox_set(const struct variables* of, const char* name, const char* value);

void cox_unset(const struct variables* of, const char* name);

// Whether a hook has set the variable, not the user.
bool cox_is_of_hook(const struct variables* of, const char* name);

// All entries, ended by a null; null when Slurm gives none.
char** cox_environment(const struct variables* of);

// Unsets what another hook has set for the surrounding job, and removes its agent. Keeps what the
// user has given another value since.
void cox_forget_earlier(const struct variables* of);

// Whether the agent is preloaded.
bool cox_has_agent(const struct variables* of);

// In srun, after all variables are set: makes the tasks unset those of `before` (an earlier
// SET_VARIABLE, modified here) that are no longer set, and LD_PRELOAD if it had the agent only.
void cox_pass_on_unset(const struct variables* of, char* before, bool had_agent);

// In a task: unsets them.
void cox_unset_passed_on(const struct variables* of);

#pragma GCC visibility pop

#endif  // COX_SLURM_VARIABLES_H_
