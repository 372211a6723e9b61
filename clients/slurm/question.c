#include "question.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME_BYTES 256

static bool find_folder(const struct variables* of, char* folder, size_t size) {
  char base[PATH_BYTES / 2];
  if (cox_get(of, "XDG_CACHE_HOME", base, sizeof(base))[0] == '/') {
    snprintf(folder, size, "%s/coxswain/slurm", base);
  } else if (cox_get(of, "HOME", base, sizeof(base))[0] == '/') {
    snprintf(folder, size, "%s/.cache/coxswain/slurm", base);
  } else {
    return false;
  }
  return cox_make_folder(folder);
}

// Removes the answers that are too old to be of use: each rebuilt program, and each other value of
// a variable, makes another question.
static void forget_stale(const char* folder) {
  enum { DIGITS = 16 };
  DIR* const files = opendir(folder);
  if (files == NULL) return;
  for (const struct dirent* file; (file = readdir(files)) != NULL;) {
    struct stat info;
    if (strlen(file->d_name) != DIGITS || strspn(file->d_name, "0123456789abcdef") != DIGITS ||
        fstatat(dirfd(files), file->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (time(NULL) - info.st_mtime > COX_FRESH_S) unlinkat(dirfd(files), file->d_name, 0);
  }
  closedir(files);
}

static void note(struct question* question, const char* text) {
  const int added = snprintf(question->key + question->length,
                             sizeof(question->key) - question->length, "%s\n", text);
  if (added > 0) question->length += (size_t)added;
  if (question->length >= sizeof(question->key)) question->length = sizeof(question->key) - 1;
}

void cox_add(struct question* question, const char* word) {
  if (question->count + 1 < WORDS) question->words[question->count++] = (char*)word;
  question->words[question->count] = NULL;
  note(question, word);
}

void cox_add_option(struct question* question, const char* name, const char* value) {
  if (value[0] == '\0') return;
  cox_add(question, name);
  cox_add(question, value);
}

// A rebuilt program may be linked with another library.
void cox_note_program(struct question* question, const char* program) {
  struct stat info;
  char text[128];
  if (stat(program, &info) != 0) return;
  snprintf(text, sizeof(text), "%lu %lu %ld", (unsigned long)info.st_dev,
           (unsigned long)info.st_ino, (long)info.st_mtime);
  note(question, text);
}

void cox_note_environment(struct question* question, char** environment) {
  static const char* const relevant[] = {
      "OMPI_MCA_coll",      "MPIR_CVAR_", "MPIR_PARAM_", "MPICH_", "MVP_",
      "I_MPI_ADJUST_",      "UCC_TL_",    "LD_PRELOAD=", "COX_",   "PATH=",
      "SLURM_CLUSTER_NAME="};
  for (char** entry = environment; entry != NULL && *entry != NULL; ++entry) {
    for (size_t i = 0; i < sizeof(relevant) / sizeof(relevant[0]); ++i) {
      if (strncmp(*entry, relevant[i], strlen(relevant[i])) == 0) note(question, *entry);
    }
  }
}

// Failures in a row, as remembered in a file "COUNT LIMIT_MS".
struct failures {
  int count;
  int limit_ms;
};

static struct failures recall_failures(const char* path, int age_s) {
  struct failures failed = {0, 0};
  char text[64];
  if (!cox_recall(path, age_s, text, sizeof(text)) ||
      sscanf(text, "%d %d", &failed.count, &failed.limit_ms) != 2 || failed.count < 1)
    failed.count = 0;
  return failed;
}

static bool must_pause(const char* path, int limit_ms) {
  const struct failures failed = recall_failures(path, COX_MOST_PAUSE_S);
  int pause_s = COX_FIRST_PAUSE_S;
  if (failed.count == 0 || limit_ms > failed.limit_ms) return false;
  for (int i = 1; i < failed.count && pause_s < COX_MOST_PAUSE_S; ++i) pause_s *= 4;
  return recall_failures(path, pause_s < COX_MOST_PAUSE_S ? pause_s : COX_MOST_PAUSE_S).count > 0;
}

static void remember_failure(const char* path, int limit_ms) {
  const struct failures failed = recall_failures(path, 2 * COX_MOST_PAUSE_S);
  char text[64];
  // Failures of jobs with another limit do not lengthen the pauses of this one.
  const int count = failed.limit_ms == limit_ms ? failed.count + 1 : 1;
  snprintf(text, sizeof(text), "%d %d", count, limit_ms);
  cox_remember(path, text);
}

// Runs cox with the variables that it may see, see cox_run().
static int run(const struct variables* of, const struct question* question, int limit_ms, int from,
               char* answer) {
  static const char library[] = "COX_LIBRARY=";
  char** const all = cox_environment(of);
  size_t count = 0;
  while (all != NULL && all[count] != NULL) ++count;
  char** const seen = calloc(count + 1, sizeof(*seen));
  if (seen == NULL) return -1;
  for (size_t i = 0, to = 0; i < count; ++i) {
    const bool hides = question->hides_library && strncmp(all[i], library, strlen(library)) == 0;
    if (!hides) seen[to++] = all[i];
  }
  const int code = cox_run(question->words, seen, limit_ms, from, answer);
  free(seen);
  return code;
}

enum cox_found cox_find_answer(const struct variables* of, struct question* question, int limit_ms,
                               char* answer) {
  char folder[PATH_BYTES];
  char memory[PATH_BYTES + 64];
  char away[PATH_BYTES + NAME_BYTES + 64];
  char host[NAME_BYTES] = "";
  answer[0] = '\0';
  if (question->length + 1 >= sizeof(question->key)) return cox_cannot_ask;
  if (!find_folder(of, folder, sizeof(folder))) return cox_cannot_ask;
  snprintf(memory, sizeof(memory), "%s/%016llx", folder, cox_hash(question->key));
  if (!question->is_for_one_step && cox_recall(memory, COX_FRESH_S, answer, COX_ANSWER_BYTES))
    return cox_found_answer;
  gethostname(host, sizeof(host) - 1);
  snprintf(away, sizeof(away), "%s/%s.away", folder, host);
  if (must_pause(away, limit_ms) && !question->brings_agent) return cox_found_away;
  const int code = run(of, question, limit_ms, STDOUT_FILENO, answer);
  if (code == 0) {
    if (!question->is_for_one_step) {
      forget_stale(folder);
      cox_remember(memory, answer);
    }
    unlink(away);
    return cox_found_answer;
  }
  if (code == COX_WRONG_WORDS) {
    // cox refuses words at once: ask again for its reason.
    run(of, question, limit_ms, STDERR_FILENO, answer);
    answer[strcspn(answer, "\n")] = '\0';
    return cox_found_wrong_words;
  }
  if (code != COX_AWAY) answer[0] = '\0';
  slurm_verbose("coxswain: no answer from %s (%d)", question->words[0], code);
  remember_failure(away, limit_ms);
  return cox_found_away;
}
