// cox: wiring only.
#include <cstdlib>
#include <iostream>

#include "cli/app.h"
#include "console/progress.h"
#include "console/table.h"

int main(int argc, char** argv) {
  // gRPC's own log lines are for its developers; failures reach the user as one line.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  std::ios::sync_with_stdio(false);
  cox::console::LimitWidth(std::cout, cox::console::OutputColumns());
  return cox::cli::Run(argc, argv, std::cout, std::cerr);
}
