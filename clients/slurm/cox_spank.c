// The SPANK plugin for Slurm: gives the tasks of a step their MPI library's tuning, the agent, or
// both. Without the daemon it changes nothing. It never fails a step.
//
// srun asks once per step, before the tasks start. All nodes get the same answer in the
// environment, because ranks with different answers would wait for each other for ever. The rules
// file travels with it, for nodes that do not see srun's folder. The batch script's step, which may
// run mpirun, asks on its node, in the task's process, after that has become the user.
//
// Where the site wants it (job-credentials), slurmstepd makes the job's credential on each node of
// a step that reports, and removes it at the step's end.
#include <slurm/slurm.h>
#include <slurm/spank.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "answer.h"
#include "credential.h"
#include "question.h"
#include "variables.h"

SPANK_PLUGIN(cox, 1)

// Carries the rules file's text to the nodes; within the limit of one variable.
#define TEXT_VARIABLE "COX_TUNING_TEXT"
#define TEXT_BYTES 65536
#define RULES_VARIABLE "OMPI_MCA_coll_tuned_dynamic_rules_filename"
#define SWITCH_VARIABLE "OMPI_MCA_coll_tuned_use_dynamic_rules"
#define NAME_BYTES 256
#define SERVERS_BYTES 1024
// Names the file of the job's credential.
#define CREDENTIAL_VARIABLE "COX_JOB_CREDENTIAL"
// A job that reaches its time limit may end this much later, and reports at its end.
#define GRACE_S 300
// Of a job without a time limit; coxd takes no longer one than 31 days.
#define MOST_S (30L * 86400)
// Of a job whose end is not known.
#define UNKNOWN_S 3600

// The longest wait of a step. task-prolog.in has the same.
#define USUAL_LIMIT_MS 200

// From plugstack.conf, `name=value`.
static struct {
  char cox[PATH_BYTES];
  char server[SERVERS_BYTES];
  char server_user[NAME_BYTES];  // of coxd, whose Unix socket cox trusts; "": coxd_user, if set
  char machine[NAME_BYTES];
  char library[NAME_BYTES];
  char mode[NAME_BYTES];
  char canary[NAME_BYTES];
  char coxd_user[NAME_BYTES];  // who may read credentials of jobs; "": there are none
  char munge_socket[NAME_BYTES];
  char credential_folder[NAME_BYTES];
  int limit_ms;
} site = {.cox = COX_PROGRAM,
          .mode = "off",
          .credential_folder = "/run/coxswain-jobs",
          .limit_ms = USUAL_LIMIT_MS};

// The file of this step's credential on this node; "": there is none.
static char credential_path[PATH_BYTES];

// From the command line; empty where not given.
static char asked_mode[NAME_BYTES];
static char asked_library[NAME_BYTES];
static char asked_canary[NAME_BYTES];

// cox needs 10 ms to look into its table, more on a busy machine.
#define LIBRARY_LIMIT_MS 2000

#define MODES "off|tune|observe|apply"
// In a format.
#define CANARIES "0%%, or a share from 0.0001%% to 50%%"

static bool is_mode(const char* text) {
  static const char* const modes[] = {"off", "tune", "observe", "apply"};
  for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); ++i) {
    if (strcmp(text, modes[i]) == 0) return true;
  }
  return false;
}

static int take_mode(int value, const char* text, int remote) {
  (void)value;
  if (text == NULL || !is_mode(text)) {
    if (!remote) slurm_error("--cox=%s: unknown mode; use one of " MODES, text ? text : "");
    return remote ? ESPANK_SUCCESS : ESPANK_BAD_ARG;
  }
  snprintf(asked_mode, sizeof(asked_mode), "%s", text);
  return ESPANK_SUCCESS;
}

// Without a client that knows better, any library is right.
static int take_library(int value, const char* text, int remote) {
  static char said[COX_ANSWER_BYTES];
  (void)value;
  snprintf(asked_library, sizeof(asked_library), "%s", text ? text : "");
  if (remote) return ESPANK_SUCCESS;
  char* const words[] = {site.cox, "run",       "--print",     "--mode",
                         "off",    "--library", asked_library, NULL};
  if (cox_run(words, environ, LIBRARY_LIMIT_MS, STDERR_FILENO, said) != COX_WRONG_WORDS)
    return ESPANK_SUCCESS;
  said[strcspn(said, "\n")] = '\0';
  slurm_error("--cox-library=%s: %s", asked_library, said);
  return ESPANK_BAD_ARG;
}

// The rule of cox and the agent.
static bool is_canary(const char* text) {
  char* end = NULL;
  const double percent = strtod(text, &end);
  return end != text && strcmp(end, "%") == 0 &&
         (percent == 0 || (percent >= 0.0001 && percent <= 50));
}

static int take_canary(int value, const char* text, int remote) {
  (void)value;
  if (text == NULL || !is_canary(text)) {
    if (!remote) slurm_error("--cox-canary=%s: must be " CANARIES, text ? text : "");
    return remote ? ESPANK_SUCCESS : ESPANK_BAD_ARG;
  }
  snprintf(asked_canary, sizeof(asked_canary), "%s", text ? text : "");
  return ESPANK_SUCCESS;
}

static struct spank_option mode_option = {
    "cox",
    MODES,
    "Coxswain: set the MPI library's best algorithms; observe: report timings as well; apply: set "
    "them call by call and report",
    1,
    0,
    take_mode};
static struct spank_option library_option = {
    "cox-library",
    "LIBRARY",
    "Coxswain: the MPI library, as openmpi-4.1 (default: what the program is linked with)",
    1,
    0,
    take_library};

static struct spank_option canary_option = {"cox-canary",
                                            "SHARE",
                                            "Coxswain: the share of the steps, or with --cox=apply "
                                            "of the calls, that run the MPI library's "
                                            "default, as 5%",
                                            1,
                                            0,
                                            take_canary};

static void read_arguments(int count, char** arguments) {
  static const struct {
    const char* name;
    char* to;
    size_t size;
  } texts[] = {{"cox=", site.cox, sizeof(site.cox)},
               {"server=", site.server, sizeof(site.server)},
               {"server-user=", site.server_user, sizeof(site.server_user)},
               {"machine=", site.machine, sizeof(site.machine)},
               {"library=", site.library, sizeof(site.library)},
               {"mode=", site.mode, sizeof(site.mode)},
               {"canary=", site.canary, sizeof(site.canary)},
               {"job-credentials=", site.coxd_user, sizeof(site.coxd_user)},
               {"munge-socket=", site.munge_socket, sizeof(site.munge_socket)},
               {"credential-folder=", site.credential_folder, sizeof(site.credential_folder)}};
  for (int i = 0; i < count; ++i) {
    int limit_ms = 0;
    int end = 0;
    bool known =
        sscanf(arguments[i], "limit-ms=%d%n", &limit_ms, &end) == 1 && arguments[i][end] == '\0';
    if (known) site.limit_ms = limit_ms;
    for (size_t j = 0; j < sizeof(texts) / sizeof(texts[0]) && !known; ++j) {
      const size_t length = strlen(texts[j].name);
      known = strncmp(arguments[i], texts[j].name, length) == 0;
      if (known) snprintf(texts[j].to, texts[j].size, "%s", arguments[i] + length);
    }
    if (!known)
      slurm_error(
          "coxswain: plugstack.conf: unknown word '%s'; known: mode= server= server-user= machine= "
          "library= "
          "canary= job-credentials= munge-socket= credential-folder= limit-ms= cox=",
          arguments[i]);
  }
  if (!is_mode(site.mode)) {
    slurm_error("coxswain: plugstack.conf: mode=%s: unknown mode, off is used; use one of " MODES,
                site.mode);
    strcpy(site.mode, "off");
  }
  if (site.canary[0] != '\0' && !is_canary(site.canary)) {
    slurm_error("coxswain: plugstack.conf: canary=%s: no canaries; must be " CANARIES, site.canary);
    site.canary[0] = '\0';
  }
  if (site.limit_ms < 1 || site.limit_ms > 60000) site.limit_ms = USUAL_LIMIT_MS;
}

int slurm_spank_init(spank_t spank, int count, char** arguments) {
  const spank_context_t context = spank_context();
  if (context != S_CTX_LOCAL && context != S_CTX_ALLOCATOR && context != S_CTX_REMOTE)
    return ESPANK_SUCCESS;
  read_arguments(count, arguments);
  spank_option_register(spank, &mode_option);
  spank_option_register(spank, &library_option);
  spank_option_register(spank, &canary_option);
  return ESPANK_SUCCESS;
}

static const char* mode_of(const struct variables* of, char* buffer, size_t size) {
  if (asked_mode[0] != '\0') return asked_mode;
  return is_mode(cox_get(of, "COX_MODE", buffer, size)) ? buffer : site.mode;
}

// When the credential of a job must end. Where slurmctld does not say the job's end, it may be
// near.
static time_t end_of(uint32_t job) {
  const time_t now = time(NULL);
  const time_t latest = now + MOST_S;
  time_t end = 0;
  if (slurm_get_end_time(job, &end) != 0) {
    slurm_error(
        "coxswain: slurmctld does not say when job %u ends: its credential ends in %d minutes", job,
        UNKNOWN_S / 60);
    return now + UNKNOWN_S;
  }
  if (end <= 0 || end > latest - GRACE_S) return latest;
  return end + GRACE_S;
}

// In slurmstepd, as root, once per step and node, before its tasks start.
int slurm_spank_init_post_opt(spank_t spank, int count, char** arguments) {
  (void)count;
  (void)arguments;
  const struct variables variables = {spank, true};
  char buffer[NAME_BYTES];
  struct credential credential = {
      .reader = site.coxd_user, .socket = site.munge_socket, .folder = site.credential_folder};
  const char* problem = "";
  if (spank_context() != S_CTX_REMOTE || site.coxd_user[0] == '\0') return ESPANK_SUCCESS;
  // Of the surrounding step.
  cox_unset(&variables, CREDENTIAL_VARIABLE);
  const char* mode = mode_of(&variables, buffer, sizeof(buffer));
  if ((strcmp(mode, "observe") != 0 && strcmp(mode, "apply") != 0) ||
      spank_get_item(spank, S_JOB_ID, &credential.job) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_STEPID, &credential.step) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_NODEID, &credential.node) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_UID, &credential.user) != ESPANK_SUCCESS ||
      spank_get_item(spank, S_JOB_GID, &credential.group) != ESPANK_SUCCESS)
    return ESPANK_SUCCESS;
  credential.end = end_of(credential.job);
  if (cox_make_credential(&credential, site.limit_ms, credential_path, sizeof(credential_path),
                          &problem)) {
    cox_set(&variables, CREDENTIAL_VARIABLE, credential_path);
  } else {
    slurm_error("coxswain: no credential for job %u in %s: %s", credential.job,
                site.credential_folder, problem);
  }
  return ESPANK_SUCCESS;
}

// In slurmstepd, as root, after the step's tasks have ended on this node.
int slurm_spank_exit(spank_t spank, int count, char** arguments) {
  (void)spank;
  (void)count;
  (void)arguments;
  if (credential_path[0] != '\0') unlink(credential_path);
  credential_path[0] = '\0';
  return ESPANK_SUCCESS;
}

// Launchers start their own daemons through srun; these tasks are not the job's ranks.
static bool is_launcher_daemon(const char* program) {
  static const char* const names[] = {"orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy"};
  const char* slash = strrchr(program, '/');
  const char* name = slash != NULL ? slash + 1 : program;
  for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
    if (strcmp(name, names[i]) == 0) return true;
  }
  return false;
}

// The cluster's name, where neither the site nor the environment names the machine: on a login node
// outside of an allocation, where cox would take the host's name.
static const char* machine_of(const struct variables* of, char* buffer, size_t size) {
  slurm_conf_t* conf = NULL;
  if (site.machine[0] != '\0') return site.machine;
  buffer[0] = '\0';
  if (of->remote || cox_get(of, "COX_MACHINE", buffer, size)[0] != '\0' ||
      cox_get(of, "SLURM_CLUSTER_NAME", buffer, size)[0] != '\0')
    return "";
  if (slurm_load_ctl_conf(0, &conf) != SLURM_SUCCESS) return "";
  snprintf(buffer, size, "%s", conf->cluster_name != NULL ? conf->cluster_name : "");
  slurm_free_ctl_conf(conf);
  return buffer;
}

// What cox is asked about.
struct subject {
  const char* mode;
  const char* program;
  const char* library;  // "": cox looks at COX_LIBRARY and the program
  bool hides_library;   // cox looks at the program only
  const char* canary;   // "": none
  uint32_t nodes;
  uint32_t ppn;
};

static enum cox_found ask_about(const struct variables* of, const struct subject* about,
                                char* answer) {
  static struct question question;
  char machine[NAME_BYTES];
  char nodes_text[16];
  char ppn_text[16];
  char limit_text[16];
  memset(&question, 0, sizeof(question));
  snprintf(nodes_text, sizeof(nodes_text), "%u", about->nodes);
  snprintf(ppn_text, sizeof(ppn_text), "%u", about->ppn);
  // cox gets less than the limit, so that it ends by itself and can use its own cache.
  snprintf(limit_text, sizeof(limit_text), "%d", site.limit_ms * 3 / 4 + 1);
  cox_add(&question, site.cox);
  cox_add_option(&question, "--server", site.server);
  cox_add_option(&question, "--server-user",
                 site.server_user[0] != '\0' ? site.server_user : site.coxd_user);
  cox_add(&question, "run");
  cox_add(&question, "--print");
  cox_add(&question, "--quiet");
  cox_add_option(&question, "--mode", about->mode);
  cox_add_option(&question, "--nodes", nodes_text);
  cox_add_option(&question, "--ppn", ppn_text);
  cox_add_option(&question, "--machine", machine_of(of, machine, sizeof(machine)));
  cox_add_option(&question, "--library", about->library);
  cox_add_option(&question, "--limit", limit_text);
  cox_add_option(&question, "--canary", about->canary);
  question.hides_library = about->hides_library;
  const bool is_tune = strcmp(about->mode, "tune") == 0;
  const bool is_apply = strcmp(about->mode, "apply") == 0;
  // cox draws whether the step is a canary; with --cox=apply the agent draws call by call.
  question.is_for_one_step = about->canary[0] != '\0' && !is_apply;
  cox_add(&question, "--");
  cox_add(&question, about->program);
  cox_note_program(&question, about->program);
  cox_note_environment(&question, cox_environment(of));
  // Canaries need timings.
  question.brings_agent = !is_tune || about->canary[0] != '\0';
  return cox_find_answer(of, &question, site.limit_ms, answer);
}

static void ask(const struct variables* of, const char* mode, uint32_t nodes, uint32_t ppn,
                const char* program) {
  static char answer[COX_ANSWER_BYTES];
  char library[NAME_BYTES];
  snprintf(library, sizeof(library), "%s", asked_library);
  if (library[0] == '\0') cox_get(of, "COX_LIBRARY", library, sizeof(library));
  if (library[0] == '\0') strcpy(library, site.library);
  const char* canary = asked_canary[0] != '\0' ? asked_canary : site.canary;
  struct subject about = {.mode = mode,
                          .program = program,
                          .library = library,
                          .canary = canary,
                          .nodes = nodes,
                          .ppn = ppn};
  enum cox_found found = ask_about(of, &about, answer);
  // In a task nobody reads the log, and the tasks' output is theirs.
  const bool logs = !of->remote;
  if (found == cox_found_wrong_words && library[0] != '\0') {
    if (logs) slurm_error("coxswain: %s; library %s is ignored", answer, library);
    // The step keeps its agent if the program is linked with a library.
    about.library = "";
    about.hides_library = true;
    found = ask_about(of, &about, answer);
  }
  if (found == cox_found_wrong_words) {
    if (logs) slurm_error("coxswain: %s; step runs untuned", answer);
    answer[0] = '\0';
  }
  cox_each_setting(answer, cox_set, of);
  if (found == cox_found_away && logs) slurm_spank_log("cox: daemon away, step runs untuned");
  if (found == cox_cannot_ask)
    slurm_verbose("coxswain: no folder for answers, or too large an environment");
}

// Puts the rules file's text into the environment. Without the text other nodes may not have the
// rules, so the step does without them.
static void pack_rules(const struct variables* of) {
  static char text[TEXT_BYTES];
  char path[PATH_BYTES];
  if (!cox_is_of_hook(of, RULES_VARIABLE)) return;
  cox_get(of, RULES_VARIABLE, path, sizeof(path));
  if (cox_recall(path, COX_ANY_AGE, text, sizeof(text)) && text[0] != '\0') {
    cox_set(of, TEXT_VARIABLE, text);
    return;
  }
  cox_unset(of, RULES_VARIABLE);
  cox_unset(of, SWITCH_VARIABLE);
  slurm_error(
      "coxswain: cannot pass on %s, step runs untuned: it must be a file of this user, not empty, "
      "that nobody else can write, below 64 KiB",
      path);
}

static void warn_of_missing_rules(const char* path) {
  slurm_error(
      "coxswain: cannot write %s; other nodes may use it and the step may hang: start it with "
      "--cox=off",
      path);
}

// Writes the rules file on a node that does not see it, or where a power loss has emptied it: a
// rank with other rules than the others hangs the step.
static void unpack_rules(const struct variables* of) {
  static char text[TEXT_BYTES];
  static char held[TEXT_BYTES];
  char path[PATH_BYTES];
  char folder[PATH_BYTES];
  const bool has_text = cox_get(of, TEXT_VARIABLE, text, sizeof(text))[0] != '\0';
  cox_unset(of, TEXT_VARIABLE);
  if (cox_get(of, RULES_VARIABLE, path, sizeof(path))[0] != '/') return;
  if (!has_text) {
    const bool is_missing = access(path, R_OK) != 0;
    if (is_missing && cox_is_of_hook(of, RULES_VARIABLE)) warn_of_missing_rules(path);
    return;
  }
  if (cox_recall(path, COX_ANY_AGE, held, sizeof(held)) && strcmp(held, text) == 0) return;
  strcpy(folder, path);
  *strrchr(folder, '/') = '\0';
  if (!cox_make_folder(folder) || !cox_remember(path, text)) warn_of_missing_rules(path);
}

// Ranks per node, from Slurm's text "2(x3),1"; 0 when nodes differ.
static uint32_t tasks_per_node(const char* text) {
  char* end = NULL;
  const unsigned long tasks = strtoul(text, &end, 10);
  return strchr(end, ',') == NULL ? (uint32_t)tasks : 0;
}

// Whether the user, the site or an earlier run of the plugin asks for it. If nobody does, an agent
// that is preloaded here is the user's own.
static bool is_wanted(const struct variables* variables) {
  char buffer[PATH_BYTES];
  return asked_mode[0] != '\0' || strcmp(site.mode, "off") != 0 ||
         is_mode(cox_get(variables, "COX_MODE", buffer, sizeof(buffer))) ||
         cox_get(variables, SET_VARIABLE, buffer, sizeof(buffer))[0] != '\0';
}

// The only SPANK callback in srun that knows the step's shape. Its settings reach all tasks.
int slurm_spank_local_user_init(spank_t spank, int count, char** arguments) {
  (void)count;
  (void)arguments;
  const struct variables variables = {spank, false};
  char buffer[NAME_BYTES];
  uint32_t nodes = 0;
  uint32_t tasks = 0;
  int word_count = 0;
  char** words = NULL;
  if (spank_get_item(spank, S_JOB_ARGV, &word_count, &words) != ESPANK_SUCCESS || word_count < 1 ||
      is_launcher_daemon(words[0]))
    return ESPANK_SUCCESS;
  if (!is_wanted(&variables)) return ESPANK_SUCCESS;
  // Leaves room for the other two names.
  char before[PATH_BYTES - NAME_BYTES];
  cox_get(&variables, SET_VARIABLE, before, sizeof(before));
  const bool had_agent = cox_has_agent(&variables);
  cox_forget_earlier(&variables);
  const char* mode = mode_of(&variables, buffer, sizeof(buffer));
  char text[NAME_BYTES];
  const char* layout = cox_get(&variables, "SLURM_TASKS_PER_NODE", text, sizeof(text));
  if (strcmp(mode, "off") != 0 && spank_get_item(spank, S_JOB_NNODES, &nodes) == ESPANK_SUCCESS &&
      nodes > 0 && spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &tasks) == ESPANK_SUCCESS &&
      tasks % nodes == 0 && (layout[0] == '\0' || tasks_per_node(layout) > 0)) {
    ask(&variables, mode, nodes, tasks / nodes, words[0]);
    pack_rules(&variables);
  }
  cox_pass_on_unset(&variables, before, had_agent);
  return ESPANK_SUCCESS;
}

int slurm_spank_task_init(spank_t spank, int count, char** arguments) {
  (void)count;
  (void)arguments;
  const struct variables variables = {spank, true};
  char buffer[NAME_BYTES];
  uint32_t step = 0;
  if (spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS) return ESPANK_SUCCESS;
  if (step != SLURM_BATCH_SCRIPT) {
    cox_unset_passed_on(&variables);
    unpack_rules(&variables);
    return ESPANK_SUCCESS;
  }
  if (!is_wanted(&variables)) return ESPANK_SUCCESS;
  cox_forget_earlier(&variables);
  const char* mode = mode_of(&variables, buffer, sizeof(buffer));
  if (strcmp(mode, "off") == 0) return ESPANK_SUCCESS;
  char text[NAME_BYTES];
  const uint32_t nodes =
      (uint32_t)strtoul(cox_get(&variables, "SLURM_JOB_NUM_NODES", text, sizeof(text)), NULL, 10);
  const uint32_t ppn =
      tasks_per_node(cox_get(&variables, "SLURM_TASKS_PER_NODE", text, sizeof(text)));
  if (nodes > 0 && ppn > 0) ask(&variables, mode, nodes, ppn, "sh");
  return ESPANK_SUCCESS;
}
