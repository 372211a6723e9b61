// cox's answer about a job, lines `export NAME=value`: from running cox within a time limit, or
// remembered on disk. C, with libc only, because srun and slurmstepd load this.
#ifndef COX_SLURM_ANSWER_H_
#define COX_SLURM_ANSWER_H_

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

// Hidden from the program that loads the plugin.
#pragma GCC visibility push(hidden)

// More than cox ever prints.
#define COX_ANSWER_BYTES 16384
// Seconds for which an answer is reused.
#define COX_FRESH_S 60
// Seconds without a question after the first failure; four times as long after each further one.
#define COX_FIRST_PAUSE_S 5
#define COX_MOST_PAUSE_S 60

// Exit codes of cox.
#define COX_WRONG_WORDS 2
#define COX_AWAY 4

// Runs `words` (the first is a path) with `environment` and reads what it writes to `from`, 1 or 2,
// into `answer`, COX_ANSWER_BYTES with the final 0. Discards the other stream. Kills it with its
// process group `limit_ms` after the start. Returns its exit code; -1 without an answer when it was
// killed, could not run, or wrote too much.
int cox_run(char* const* words, char* const* environment, int limit_ms, int from, char* answer);

// Names the file of a question's answer, and is the fingerprint of a variable's value, as cox has
// it: FNV-1a over the text, 64 bits. Written again here, because the plugin links none of
// Coxswain's C++.
unsigned long long cox_hash(const char* text);

// Makes `folder` and its parents, for this user only. False when that fails.
bool cox_make_folder(const char* folder);

// The clock of another node, which may have written the file, does not count.
#define COX_ANY_AGE INT_MAX

// Reads a file into `text` of `size` bytes: it must belong to this user, be writable by no one
// else, and be at most `age_s` old, COX_ANY_AGE for no limit. False when there is none.
bool cox_recall(const char* path, int age_s, char* text, size_t size);

// Writes a file in one step: a reader sees all of it or nothing. False when that fails.
bool cox_remember(const char* path, const char* text);

// Calls `set` (cox_set of variables.h) for each line of `answer` that sets a variable which a hook
// may set. Skips malformed lines.
struct variables;
void cox_each_setting(const char* answer,
                      void (*set)(const struct variables* of, const char* name, const char* value),
                      const struct variables* of);

#pragma GCC visibility pop

#endif  // COX_SLURM_ANSWER_H_
