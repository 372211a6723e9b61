// The environment of a step's tasks, as a SPANK plugin sees it, and what hooks have put into it.
// One thread.
#ifndef COX_SLURM_VARIABLES_H_
#define COX_SLURM_VARIABLES_H_

#include <slurm/spank.h>
#include <stdbool.h>
#include <stddef.h>

// Nothing of this is for whoever loads the plugin.
#pragma GCC visibility push(hidden)

#define PATH_BYTES 4096
// Lists the variables that a hook has set.
#define SET_VARIABLE "COX_SET"

// Where a job's variables are: in srun the process's own, in a task those that Slurm holds.
struct variables {
  spank_t spank;
  bool remote;
};

// The value, copied to `buffer` and returned; empty where it is not set or does not fit.
const char* cox_get(const struct variables* of, const char* name, char* buffer, size_t size);

// `variables` is a struct variables: so this fits cox_each_setting().
void cox_set(void* variables, const char* name, const char* value);

void cox_unset(const struct variables* of, const char* name);

// All entries, ended by a null; null where Slurm does not give them.
char** cox_environment(const struct variables* of);

// Unsets what another hook has set for the job around this step, and its agent.
void cox_forget_earlier(const struct variables* of);

// In srun, when all is set: tells the tasks to forget those of `before` (an earlier SET_VARIABLE,
// spoiled here) that are not set any more.
void cox_hand_on_forgotten(const struct variables* of, char* before);

// In a task: does so.
void cox_forget_as_told(const struct variables* of);

#pragma GCC visibility pop

#endif  // COX_SLURM_VARIABLES_H_
