#include "access/rules.h"

#include <iterator>

namespace cox::access {
namespace {

constexpr Rule kRules[] = {
    // clang-format off
    {"cox.v1.AccessService/WhoAmI",                    Role::kViewer},
    {"cox.v1.AccessService/CreateToken",               Role::kAdmin,    CallKind::kChange},
    {"cox.v1.AccessService/ListTokens",                Role::kAdmin},
    {"cox.v1.AccessService/RevokeToken",               Role::kAdmin,    CallKind::kChange},
    {"cox.v1.AccessService/ListEndedJobs",             Role::kViewer},
    {"cox.v1.AccessService/ListAuditRecords",          Role::kOperator, CallKind::kHeavy},

    {"cox.v1.AdviceService/Predict",                   Role::kViewer},
    {"cox.v1.AdviceService/Recommend",                 Role::kViewer},
    {"cox.v1.AdviceService/BatchRecommend",            Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.AdviceService/Explain",                   Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.AdviceService/BatchEvaluate",             Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.AdviceService/EvaluatePattern",           Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.AdviceService/RecommendRoutes",           Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.AdviceService/EvaluateKernel",            Role::kViewer},
    {"cox.v1.AdviceService/GetTuning",                 Role::kViewer},
    {"cox.v1.AdviceService/GetDecisions",              Role::kViewer},
    {"cox.v1.AdviceService/GetAccuracy",               Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.AdviceService/SuggestMeasurements",       Role::kViewer,   CallKind::kHeavy},

    {"cox.v1.CalibrationService/Calibrate",            Role::kOperator, CallKind::kChange},

    {"cox.v1.HistoryService/ListMachineStates",        Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.HistoryService/ListJobs",                 Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.HistoryService/ListObservedTimes",        Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.HistoryService/SummarizeObservations",    Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.HistoryService/GetSavings",               Role::kViewer,   CallKind::kHeavy},

    {"cox.v1.MachineService/CreateMachine",            Role::kOperator, CallKind::kChange},
    {"cox.v1.MachineService/GetMachine",               Role::kViewer},
    {"cox.v1.MachineService/ListMachines",             Role::kViewer},
    {"cox.v1.MachineService/DeleteMachine",            Role::kOperator, CallKind::kChange},
    {"cox.v1.MachineService/UndeleteMachine",          Role::kOperator, CallKind::kChange},
    {"cox.v1.MachineService/SetSwitches",              Role::kOperator, CallKind::kChange},
    {"cox.v1.MachineService/GetSwitches",              Role::kViewer},

    {"cox.v1.ModelService/ListModels",                 Role::kViewer},
    {"cox.v1.ModelService/ListStrategies",             Role::kViewer},
    {"cox.v1.ModelService/ListKernels",                Role::kViewer},
    {"cox.v1.ModelService/ListDefaultChoices",         Role::kViewer},
    {"cox.v1.ModelService/ReduceBlocks",               Role::kViewer},
    {"cox.v1.ModelService/InferBlocks",                Role::kViewer},

    {"cox.v1.ObservationService/ReportObservations",   Role::kReporter},
    {"cox.v1.ObservationService/StreamObservations",   Role::kReporter},
    {"cox.v1.ObservationService/ListObservations",     Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.ObservationService/CountObservations",    Role::kViewer,   CallKind::kHeavy},
    {"cox.v1.ObservationService/ForgetObservations",   Role::kOperator, CallKind::kChange},
    {"cox.v1.ObservationService/ListDrifts",           Role::kViewer},

    {"cox.v1.ProfileService/CreateProfile",            Role::kOperator, CallKind::kChange},
    {"cox.v1.ProfileService/GetProfile",               Role::kViewer},
    {"cox.v1.ProfileService/ListProfiles",             Role::kViewer},
    {"cox.v1.ProfileService/PinProfile",               Role::kOperator, CallKind::kChange},
    {"cox.v1.ProfileService/RollbackProfile",          Role::kOperator, CallKind::kChange},
    {"cox.v1.ProfileService/AcceptProfile",            Role::kOperator, CallKind::kChange},
    {"cox.v1.ProfileService/WatchProfile",             Role::kViewer},

    {"cox.v1.StoreService/GetStoreStatus",             Role::kViewer},
    {"cox.v1.StoreService/CreateBackup",               Role::kOperator},
    {"cox.v1.StoreService/CheckStore",                 Role::kOperator},
    {"cox.v1.StoreService/CompactStore",               Role::kOperator},
    // clang-format on
};

constexpr bool HasRow(absl::string_view method) {
  for (const Rule& rule : kRules) {
    if (rule.method == method) return true;
  }
  return false;
}

// An assertion for each RPC of proto/cox/v1, made by server/check_methods.cmake.
#include "checked_methods.inc"

}  // namespace

absl::Span<const Rule> Rules() { return kRules; }

const Rule* FindRule(absl::string_view method) {
  for (const Rule& rule : kRules) {
    if (rule.method == method) return &rule;
  }
  return nullptr;
}

}  // namespace cox::access
