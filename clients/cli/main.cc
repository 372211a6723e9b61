// cox: wiring only.
#include <cstdlib>
#include <iostream>

#include "cli/app.h"

int main(int argc, char** argv) {
  // gRPC's own log lines are for its developers; failures reach the user as one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  std::ios::sync_with_stdio(false);
  return cox::cli::Run(argc, argv, std::cout, std::cerr);
}
