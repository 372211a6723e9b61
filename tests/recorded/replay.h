// Sends the recorded bytes of a client to a coxd, and compares its answers with the recorded ones.
#ifndef COX_TESTS_RECORDED_REPLAY_H_
#define COX_TESTS_RECORDED_REPLAY_H_

#include <string>
#include <vector>

#include "tape.h"

namespace cox::recorded {

// What is wrong, a line each; empty: nothing. Three promises are held, call by call: today's schema
// knows each field of the recorded messages, today's coxd answers with the recorded code, and its
// answer has each field that the recorded one has. Values may be others.
std::vector<std::string> Replay(const Tape& tape, const std::string& server);

}  // namespace cox::recorded

#endif  // COX_TESTS_RECORDED_REPLAY_H_
