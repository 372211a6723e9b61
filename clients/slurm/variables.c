#include "variables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"

#define AGENT_FILE "/libcoxagent-"
#define FORGET_VARIABLE "COX_FORGET"

const char* cox_get(const struct variables* of, const char* name, char* buffer, size_t size) {
  buffer[0] = '\0';
  if (of->remote) {
    if (spank_getenv(of->spank, name, buffer, (int)size) != ESPANK_SUCCESS) buffer[0] = '\0';
  } else if (getenv(name) != NULL && strlen(getenv(name)) < size) {
    strcpy(buffer, getenv(name));
  }
  return buffer;
}

void cox_set(const struct variables* of, const char* name, const char* value) {
  if (of->remote) {
    spank_setenv(of->spank, name, value, 1);
  } else {
    setenv(name, value, 1);
  }
}

void cox_unset(const struct variables* of, const char* name) {
  if (of->remote) {
    spank_unsetenv(of->spank, name);
  } else {
    unsetenv(name);
  }
}

// Takes the fingerprint off an entry "NAME:FINGERPRINT" of SET_VARIABLE, so that the name is left.
// False where the variable no longer has the value that the hook gave it: the user has set it.
static bool has_hooks_value(const struct variables* of, char* entry) {
  char value[PATH_BYTES];
  char fingerprint[32];
  char* colon = strchr(entry, ':');
  if (colon == NULL) return true;
  *colon = '\0';
  cox_get(of, entry, value, sizeof(value));
  snprintf(fingerprint, sizeof(fingerprint), "%016llx", cox_hash(value));
  return strcmp(fingerprint, colon + 1) == 0;
}

bool cox_is_of_hook(const struct variables* of, const char* name) {
  char names[PATH_BYTES];
  char* rest = NULL;
  cox_get(of, SET_VARIABLE, names, sizeof(names));
  for (char* one = strtok_r(names, ",", &rest); one; one = strtok_r(NULL, ",", &rest)) {
    const bool is_hooks = has_hooks_value(of, one);
    if (strcmp(one, name) == 0) return is_hooks;
  }
  return false;
}

char** cox_environment(const struct variables* of) {
  char** all = environ;
  if (of->remote && spank_get_item(of->spank, S_JOB_ENV, &all) != ESPANK_SUCCESS) all = NULL;
  return all;
}

// Keeps the preloaded libraries that are not the agent.
static void forget_agent(const struct variables* of) {
  char before[PATH_BYTES];
  char after[PATH_BYTES] = "";
  char* rest = NULL;
  if (strstr(cox_get(of, "LD_PRELOAD", before, sizeof(before)), AGENT_FILE) == NULL) return;
  for (char* path = strtok_r(before, ": ", &rest); path; path = strtok_r(NULL, ": ", &rest)) {
    if (strstr(path, AGENT_FILE) != NULL) continue;
    if (after[0] != '\0') strcat(after, ":");
    strcat(after, path);
  }
  if (after[0] == '\0') {
    cox_unset(of, "LD_PRELOAD");
  } else {
    cox_set(of, "LD_PRELOAD", after);
  }
}

bool cox_has_agent(const struct variables* of) {
  char paths[PATH_BYTES];
  return strstr(cox_get(of, "LD_PRELOAD", paths, sizeof(paths)), AGENT_FILE) != NULL;
}

// Another hook's settings for the surrounding job do not apply to this step.
void cox_forget_earlier(const struct variables* of) {
  char names[PATH_BYTES];
  char* rest = NULL;
  cox_get(of, SET_VARIABLE, names, sizeof(names));
  for (char* name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    if (has_hooks_value(of, name)) cox_unset(of, name);
  }
  cox_unset(of, SET_VARIABLE);
  forget_agent(of);
}

// srun passes on variables that this process has unset. So FORGET_VARIABLE names those of `before`
// (an earlier SET_VARIABLE) that are no longer set, and the tasks unset them.
void cox_pass_on_unset(const struct variables* of, char* before, bool had_agent) {
  char forgotten[PATH_BYTES] = "";
  char* rest = NULL;
  if (before[0] == '\0' && !had_agent) return;
  for (char* name = strtok_r(before, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
    name[strcspn(name, ":")] = '\0';
    if (getenv(name) != NULL) continue;
    strcat(forgotten, name);
    strcat(forgotten, ",");
  }
  if (getenv(SET_VARIABLE) == NULL) strcat(forgotten, SET_VARIABLE ",");
  if (getenv("LD_PRELOAD") == NULL) strcat(forgotten, "LD_PRELOAD");
  if (forgotten[0] != '\0') cox_set(of, FORGET_VARIABLE, forgotten);
}

void cox_unset_passed_on(const struct variables* of) {
  char names[PATH_BYTES];
  char* rest = NULL;
  if (cox_get(of, FORGET_VARIABLE, names, sizeof(names))[0] == '\0') return;
  for (char* name = strtok_r(names, ",", &rest); name; name = strtok_r(NULL, ",", &rest))
    cox_unset(of, name);
  cox_unset(of, FORGET_VARIABLE);
}
