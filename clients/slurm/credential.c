#include "credential.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answer.h"

// Whoever could change the folder could make root write elsewhere.
static bool is_roots_folder(const char* folder) {
  struct stat info;
  if (mkdir(folder, 0711) != 0 && errno != EEXIST) return false;
  return lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == 0 &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// The text as munge prints it; "" when munge fails. The command line names the job, which is no
// secret.
static void ask_munge(const struct credential* of, int limit_ms, char* text) {
  char payload[128];
  char reader[300];
  char socket[4200];
  char* words[] = {COX_MUNGE_PROGRAM, payload, reader, of->socket[0] != '\0' ? socket : NULL, NULL};
  char* const environment[] = {NULL};  // the job's one could steer a process of root
  snprintf(payload, sizeof(payload), "--string=coxswain-job 1 %u %u %u %lld", of->job,
           (unsigned)of->user, (unsigned)of->group, (long long)of->end);
  snprintf(reader, sizeof(reader), "--restrict-uid=%s", of->reader);
  snprintf(socket, sizeof(socket), "--socket=%s", of->socket);
  if (cox_run(words, environment, limit_ms, 1, text) != 0) text[0] = '\0';
}

// The user can read it, and nobody else, from its first byte.
static bool write_for(const struct credential* of, const char* path, const char* text) {
  char unfinished[4200];
  const size_t length = strlen(text);
  snprintf(unfinished, sizeof(unfinished), "%s.new", path);
  unlink(unfinished);
  const int file = open(unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR);
  if (file < 0) return false;
  bool done =
      fchown(file, of->user, of->group) == 0 && write(file, text, length) == (ssize_t)length;
  if (close(file) != 0) done = false;
  if (done && rename(unfinished, path) == 0) return true;
  unlink(unfinished);
  return false;
}

bool cox_make_credential(const struct credential* of, int limit_ms, char* path, size_t size,
                         const char** problem) {
  char text[COX_ANSWER_BYTES];
  const int length = snprintf(path, size, "%s/%u.%u.%u", of->folder, of->job, of->step, of->node);
  *problem = "the folder must be root's, and writable by root only";
  bool made = length > 0 && (size_t)length < size && is_roots_folder(of->folder);
  if (made) {
    ask_munge(of, limit_ms, text);
    *problem = "munge makes none";
    made = strncmp(text, "MUNGE:", 6) == 0;
  }
  if (made) {
    *problem = "its file cannot be written";
    made = write_for(of, path, text);
    explicit_bzero(text, sizeof(text));
  }
  if (!made) path[0] = '\0';
  return made;
}
