// The verbs of cox, one file each (verb_<name>.cc). Each function adds its verb to `app` with
// options, description and examples; when the command line names the verb, parsing sets `action`.
#ifndef COX_CLI_VERBS_VERBS_H_
#define COX_CLI_VERBS_VERBS_H_

#include <CLI/CLI.hpp>

#include "cli/session.h"

namespace cox::cli {

void AddMachineVerb(CLI::App& app, Action& action);
void AddProfileVerb(CLI::App& app, Action& action);
void AddCalibrateVerb(CLI::App& app, Action& action);
void AddStrategiesVerb(CLI::App& app, Action& action);
void AddModelsVerb(CLI::App& app, Action& action);
void AddPredictVerb(CLI::App& app, Action& action);
void AddExplainVerb(CLI::App& app, Action& action);
void AddPatternVerb(CLI::App& app, Action& action);
void AddKernelVerb(CLI::App& app, Action& action);
void AddReduceVerb(CLI::App& app, Action& action);
void AddRecommendVerb(CLI::App& app, Action& action);
void AddTuneVerb(CLI::App& app, Action& action);
void AddRunVerb(CLI::App& app, Action& action);
void AddAccuracyVerb(CLI::App& app, Action& action);
void AddObservationsVerb(CLI::App& app, Action& action);
void AddWatchVerb(CLI::App& app, Action& action);
void AddDoctorVerb(CLI::App& app, Action& action);

}  // namespace cox::cli

#endif  // COX_CLI_VERBS_VERBS_H_
