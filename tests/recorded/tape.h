// Calls as they were on the wire: a text file, so that a diff shows what a new recording changes.
//
//   call /cox.v1.MachineService/ListMachines
//   > BASE64          a message of the client
//   < BASE64          a message of the daemon
//   end 5 BASE64 BASE64    the code of gRPC; after an error its message and details
#ifndef COX_TESTS_RECORDED_TAPE_H_
#define COX_TESTS_RECORDED_TAPE_H_

#include <string>
#include <vector>

namespace cox::recorded {

struct RecordedCall {
  std::string method;  // "/cox.v1.MachineService/ListMachines"
  std::vector<std::string> requests;
  std::vector<std::string> responses;
  int code = 0;
  std::string error_message;
  std::string error_details;
};

// In the order in which they began.
using Tape = std::vector<RecordedCall>;

// Both end the program with a message when the file cannot be used.
Tape ReadTape(const std::string& path);
void WriteTape(const Tape& tape, const std::string& path);

// Ends the program with status 1.
[[noreturn]] void Fail(const std::string& message);

}  // namespace cox::recorded

#endif  // COX_TESTS_RECORDED_TAPE_H_
