#include "answer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// posix_spawn, not fork: srun has threads.
static pid_t start(char* const* words, char* const* environment, int from, int out) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t signals;
  pid_t child = -1;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&files, out, from);
  posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
  // Slurm blocks and ignores signals; the child starts with the default handling.
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  if (posix_spawn(&child, words[0], &files, &attributes, words, environment) != 0) child = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return child;
}

// Reads to the end, the deadline, or the buffer's limit. True at the end.
static bool read_all(int from, long deadline_ms, char* answer) {
  size_t length = 0;
  for (;;) {
    const long left_ms = deadline_ms - now_ms();
    struct pollfd source = {from, POLLIN, 0};
    if (left_ms <= 0) return false;
    const int ready = poll(&source, 1, (int)left_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t got = read(from, answer + length, COX_ANSWER_BYTES - 1 - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    length += (size_t)got;
    answer[length] = '\0';
    if (got == 0) return strlen(answer) == length;
    if (length == COX_ANSWER_BYTES - 1) return false;
  }
}

// Returns the exit code; -1 after killing the child.
static int end(pid_t child, long deadline_ms, bool complete) {
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return complete && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (ended < 0 && errno != EINTR) return -1;
    if (!complete || now_ms() >= deadline_ms) break;
    const struct timespec pause = {0, 200000};
    nanosleep(&pause, NULL);
  }
  kill(-child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return -1;
}

int cox_run(char* const* words, char* const* environment, int limit_ms, int from, char* answer) {
  int ends[2];
  const long deadline_ms = now_ms() + limit_ms;
  answer[0] = '\0';
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  const pid_t child = start(words, environment, from, ends[1]);
  close(ends[1]);
  int code = -1;
  if (child > 0) {
    const bool complete = read_all(ends[0], deadline_ms, answer);
    code = end(child, deadline_ms, complete);
  }
  close(ends[0]);
  if (code < 0) answer[0] = '\0';
  return code;
}

unsigned long long cox_hash(const char* text) {
  unsigned long long hash = 0xcbf29ce484222325ull;
  for (; *text != '\0'; ++text) hash = (hash ^ (unsigned char)*text) * 0x100000001b3ull;
  return hash;
}

bool cox_make_folder(const char* folder) {
  char path[4096];
  if (folder[0] != '/' || strlen(folder) >= sizeof(path)) return false;
  strcpy(path, folder);
  for (char* at = path + 1; *at != '\0'; ++at) {
    if (*at != '/') continue;
    *at = '\0';
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
    *at = '/';
  }
  return mkdir(path, 0700) == 0 || errno == EEXIST;
}

bool cox_recall(const char* path, int age_s, char* text, size_t size) {
  struct stat info;
  bool usable = false;
  const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  if (fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
      (info.st_mode & (S_IWGRP | S_IWOTH)) == 0 && (size_t)info.st_size < size) {
    const time_t age = time(NULL) - info.st_mtime;
    if (age_s == COX_ANY_AGE || (age >= -1 && age < age_s)) {
      const ssize_t got = read(file, text, size - 1);
      usable = got == info.st_size;
      text[usable ? got : 0] = '\0';
    }
  }
  close(file);
  return usable;
}

bool cox_remember(const char* path, const char* text) {
  char temporary[4200];
  const size_t length = strlen(text);
  if (snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path) >= (int)sizeof(temporary))
    return false;
  const int file = mkostemp(temporary, O_CLOEXEC);
  if (file < 0) return false;
  const bool written = write(file, text, length) == (ssize_t)length;
  if (close(file) == 0 && written && rename(temporary, path) == 0) return true;
  unlink(temporary);
  return false;
}

static bool may_be_set(const char* name) {
  static const char* const prefixes[] = {"OMPI_MCA_", "MPIR_CVAR_", "MPICH_", "I_MPI_ADJUST_",
                                         "UCC_TL_",   "COX_",       NULL};
  for (const char* c = name; *c != '\0'; ++c) {
    const bool plain = (*c >= 'A' && *c <= 'Z') || (*c >= 'a' && *c <= 'z') ||
                       (*c >= '0' && *c <= '9') || *c == '_';
    if (!plain) return false;
  }
  if (strcmp(name, "LD_PRELOAD") == 0) return true;
  for (int i = 0; prefixes[i] != NULL; ++i) {
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  }
  return false;
}

void cox_each_setting(const char* answer,
                      void (*set)(const struct variables* of, const char* name, const char* value),
                      const struct variables* of) {
  static const char keyword[] = "export ";
  char copy[COX_ANSWER_BYTES];
  char* rest = NULL;
  if (snprintf(copy, sizeof(copy), "%s", answer) >= (int)sizeof(copy)) return;
  for (char* line = strtok_r(copy, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest)) {
    char* equals = strchr(line, '=');
    if (strncmp(line, keyword, strlen(keyword)) != 0 || equals == NULL) continue;
    *equals = '\0';
    const char* name = line + strlen(keyword);
    if (may_be_set(name)) set(of, name, equals + 1);
  }
}
