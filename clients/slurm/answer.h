// What cox says about a job, as lines `export NAME=value`: got by running it, within a time limit,
// or remembered on disk. C, no library but libc: this is loaded into srun and slurmstepd.
#ifndef COX_SLURM_ANSWER_H_
#define COX_SLURM_ANSWER_H_

#include <stdbool.h>
#include <stddef.h>

// Nothing of this is for whoever loads the plugin.
#pragma GCC visibility push(hidden)

// More than all that cox ever prints.
#define COX_ANSWER_BYTES 16384
// How long an answer is used again, and a daemon that was away is left alone.
#define COX_FRESH_S 60

// Runs `words` (the first is a path) with `environment` and reads its standard output into
// `answer`, COX_ANSWER_BYTES with the final 0. It is killed, with its process group, `limit_ms`
// after its start. Returns its exit code, -1 where it was killed, could not be run or said too
// much. Its standard error goes nowhere.
int cox_run(char* const* words, char* const* environment, int limit_ms, char* answer);

// The name of a memory for a question: FNV-1a over the text, 64 bits. Its own: this is C in
// somebody else's process, and uses no code of ours.
unsigned long long cox_hash(const char* text);

// Makes `folder` and what is above it, for this user only. False where that fails.
bool cox_make_folder(const char* folder);

// Reads a file of this user that nobody else can write, not older than `age_s`, into `text` of
// `size` bytes. False where there is none.
bool cox_recall(const char* path, int age_s, char* text, size_t size);

// Writes a file in one step; a reader sees all of it or none. False where that fails.
bool cox_remember(const char* path, const char* text);

// Calls `set` for each line of `answer` that sets a variable a hook may set. What is malformed is
// passed over.
void cox_each_setting(const char* answer,
                      void (*set)(void* of, const char* name, const char* value), void* of);

#pragma GCC visibility pop

#endif  // COX_SLURM_ANSWER_H_
