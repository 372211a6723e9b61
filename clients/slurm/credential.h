// The credential of a step's job: munge's word that root of this node knows the user, the job and
// its end. coxd takes whoever has it for that user's job, and for nothing more.
//
// In slurmstepd, as root, one thread. The file is in a folder that only root can change; only the
// job's user can read the file. Nothing else holds the credential: no environment, no command line,
// no log.
#ifndef COX_SLURM_CREDENTIAL_H_
#define COX_SLURM_CREDENTIAL_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

// Hidden from the program that loads the plugin.
#pragma GCC visibility push(hidden)

// What a credential says, and who may read it.
struct credential {
  uint32_t job;
  uint32_t step;
  uint32_t node;  // counts the step's nodes: several may be on one host
  uid_t user;
  gid_t group;
  time_t end;          // of the job
  const char* reader;  // coxd's user, by name or number
  const char* socket;  // of munged; "": where munge expects it
  const char* folder;
};

// Makes the credential by running munge for at most `limit_ms`, and writes the file, whose name it
// puts into `path`. False, with the reason in `problem`, when that fails: then there is no file.
bool cox_make_credential(const struct credential* credential, int limit_ms, char* path, size_t size,
                         const char** problem);

#pragma GCC visibility pop

#endif  // COX_SLURM_CREDENTIAL_H_
