// The verbs of cox, one file each (<name>.cc). Each function adds its verb to `app`, the program,
// with options, description and examples.
#ifndef COX_CLI_VERBS_VERBS_H_
#define COX_CLI_VERBS_VERBS_H_

#include "cli/options/verb.h"

namespace cox::cli {

void AddMachineVerb(Verb app);
void AddProfileVerb(Verb app);
void AddCalibrateVerb(Verb app);
void AddStrategiesVerb(Verb app);
void AddModelsVerb(Verb app);
void AddPredictVerb(Verb app);
void AddExplainVerb(Verb app);
void AddPatternVerb(Verb app);
void AddKernelVerb(Verb app);
void AddReduceVerb(Verb app);
void AddInferVerb(Verb app);
void AddValidateVerb(Verb app);
void AddRecommendVerb(Verb app);
void AddSuggestVerb(Verb app);
void AddTuneVerb(Verb app);
void AddRunVerb(Verb app);
void AddAccuracyVerb(Verb app);
void AddSavingsVerb(Verb app);
void AddObservationsVerb(Verb app);
void AddTokenVerb(Verb app);
void AddAuditVerb(Verb app);
void AddWatchVerb(Verb app);
void AddDoctorVerb(Verb app);
void AddStoreVerb(Verb app);

}  // namespace cox::cli

#endif  // COX_CLI_VERBS_VERBS_H_
