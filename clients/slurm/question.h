// A question to cox about a step, and its answer, remembered or asked now. One thread.
#ifndef COX_SLURM_QUESTION_H_
#define COX_SLURM_QUESTION_H_

#include <stdbool.h>
#include <stddef.h>

#include "answer.h"
#include "variables.h"

// Hidden from the program that loads the plugin.
#pragma GCC visibility push(hidden)

#define WORDS 32

// A command line under construction, and as one text everything that the answer depends on. Start
// with zeros; the words must outlive it.
struct question {
  char* words[WORDS];
  int count;
  char key[COX_ANSWER_BYTES];
  size_t length;
  bool is_for_one_step;  // chance has a part in the answer: it is neither remembered nor recalled
  bool hides_library;    // cox must not see COX_LIBRARY
  bool brings_agent;     // observe or apply: the answer has the agent also while coxd is away
};

// Adds a word. Adds an option and its value, unless the value is empty.
void cox_add(struct question* question, const char* word);
void cox_add_option(struct question* question, const char* name, const char* value);

// Adds to the key what else the answer depends on: the program, which may have been relinked, and
// the variables that cox reads.
void cox_note_program(struct question* question, const char* program);
void cox_note_environment(struct question* question, char** environment);

enum cox_found {
  cox_found_answer,
  cox_found_away,         // coxd did not answer, and cox has no earlier answer
  cox_found_wrong_words,  // cox refuses a word, whether coxd is there or not
  cox_cannot_ask,         // no folder for answers, or the question is too long
};

// Writes the answer to `answer`, "" without one; of a refusal, the line in which cox says why.
// Reuses an answer that is at most COX_FRESH_S old. Otherwise asks cox for at most `limit_ms`, but
// not during the pause after a failure (COX_FIRST_PAUSE_S), unless the answer brings the agent: cox
// keeps a pause of its own, in which it answers without coxd.
enum cox_found cox_find_answer(const struct variables* of, struct question* question, int limit_ms,
                               char* answer);

#pragma GCC visibility pop

#endif  // COX_SLURM_QUESTION_H_
