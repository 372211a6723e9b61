// A question to cox about a step, and its answer: remembered, or asked now. One thread.
#ifndef COX_SLURM_QUESTION_H_
#define COX_SLURM_QUESTION_H_

#include "answer.h"
#include "variables.h"

// Nothing of this is for whoever loads the plugin.
#pragma GCC visibility push(hidden)

#define WORDS 32

// A command line under construction, and all that the answer depends on as one text. Begins as
// zeros; the words must outlive it.
struct question {
  char* words[WORDS];
  int count;
  char key[COX_ANSWER_BYTES];
  size_t length;
};

// One more word; an option and its value unless the value is empty.
void cox_add(struct question* question, const char* word);
void cox_add_option(struct question* question, const char* name, const char* value);

// What else the answer depends on: the program, which may have been linked anew, and the variables
// that cox looks at.
void cox_note_program(struct question* question, const char* program);
void cox_note_environment(struct question* question, char** environment);

// The answer for `question`, empty where there is none: remembered for COX_FRESH_S, or asked for
// at most `limit_ms` now, unless the daemon was away within COX_FRESH_S.
void cox_find_answer(const struct variables* of, struct question* question, int limit_ms,
                     char* answer);

#pragma GCC visibility pop

#endif  // COX_SLURM_QUESTION_H_
