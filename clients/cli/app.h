// Runs one command line of cox: parses it, runs the verb, and prints errors.
#ifndef COX_CLI_APP_H_
#define COX_CLI_APP_H_

#include <memory>
#include <ostream>

#include "cli/options/command_line.h"
#include "cli/session.h"

namespace cox::cli {

// A parser with every option and verb. Parsing fills `options`, which must outlive it.
std::unique_ptr<CommandLine> MakeCommandLine(GlobalOptions& options);

// Runs one command line and returns the exit code. Characters that could steer a terminal, which a
// daemon may send, become '?' on `out`.
int Run(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace cox::cli

#endif  // COX_CLI_APP_H_
