// Records the calls of a client, sends them again, or answers as the daemon did:
//   wire_tape record FILE LISTEN SERVER    passes calls on until its standard input ends
//   wire_tape play FILE LISTEN             answers until its standard input ends
//   wire_tape replay FILE SERVER           prints what is wrong; status 1 if something is
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "player.h"
#include "recorder.h"
#include "replay.h"
#include "tape.h"

namespace cox::recorded {
namespace {

// Serves until the standard input ends.
void Serve(grpc::CallbackGenericService* service, const std::string& address) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address, grpc::InsecureServerCredentials());
  builder.RegisterCallbackGenericService(service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) Fail("cannot listen on " + address);
  std::puts("listening");
  std::fflush(stdout);
  char byte = 0;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  server->Shutdown(std::chrono::system_clock::now());
}

int Main(const std::vector<std::string>& words) {
  const std::string verb = words.size() > 1 ? words[1] : "";
  if (verb == "record" && words.size() == 5) {
    Recorder recorder(words[4]);
    Serve(&recorder, words[3]);
    WriteTape(recorder.Recorded(), words[2]);
    return 0;
  }
  const Tape tape = words.size() > 2 ? ReadTape(words[2]) : Tape();
  if (verb == "play" && words.size() == 4) {
    Player player(tape);
    Serve(&player, words[3]);
    return 0;
  }
  if (verb == "replay" && words.size() == 4) {
    const std::vector<std::string> problems = Replay(tape, words[3]);
    for (const std::string& problem : problems) std::printf("%s\n", problem.c_str());
    std::printf("%zu calls, %zu problems\n", tape.size(), problems.size());
    return problems.empty() ? 0 : 1;
  }
  Fail("usage: wire_tape record FILE LISTEN SERVER | play FILE LISTEN | replay FILE SERVER");
}

}  // namespace
}  // namespace cox::recorded

int main(int argc, char** argv) {
  return cox::recorded::Main(std::vector<std::string>(argv, argv + argc));
}
