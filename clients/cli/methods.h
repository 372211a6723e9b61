// The RPCs that cox calls: path, and what goes in and comes out. A table instead of the generated
// stubs, whose headers would cost each verb seconds of compilation; a test compares it with the
// services' descriptors.
#ifndef COX_CLI_METHODS_H_
#define COX_CLI_METHODS_H_

#include <tuple>

namespace google::protobuf {
class Empty;
}

namespace grpc::health::v1 {
class HealthCheckRequest;
class HealthCheckResponse;
}  // namespace grpc::health::v1

namespace cox::v1 {
class AcceptProfileRequest;
class BatchRecommendRequest;
class BatchRecommendResponse;
class CalibrateRequest;
class CalibrateResponse;
class CheckStoreRequest;
class CheckStoreResponse;
class CompactStoreRequest;
class CompactStoreResponse;
class CountObservationsRequest;
class CountObservationsResponse;
class CreateBackupRequest;
class CreateBackupResponse;
class CreateMachineRequest;
class CreateProfileRequest;
class CreateTokenRequest;
class CreateTokenResponse;
class DeleteMachineRequest;
class EvaluateKernelRequest;
class EvaluateKernelResponse;
class EvaluatePatternRequest;
class EvaluatePatternResponse;
class ExplainRequest;
class ExplainResponse;
class ForgetObservationsRequest;
class InferBlocksRequest;
class InferBlocksResponse;
class ForgetObservationsResponse;
class GetAccuracyRequest;
class GetAccuracyResponse;
class GetDecisionsRequest;
class GetDecisionsResponse;
class GetMachineRequest;
class GetProfileRequest;
class GetSavingsRequest;
class GetSavingsResponse;
class GetSwitchesRequest;
class GetStoreStatusRequest;
class GetStoreStatusResponse;
class GetTuningRequest;
class GetTuningResponse;
class ListAuditRecordsRequest;
class ListAuditRecordsResponse;
class ListDefaultChoicesRequest;
class ListDefaultChoicesResponse;
class ListDriftsRequest;
class ListDriftsResponse;
class ListKernelsRequest;
class ListKernelsResponse;
class ListMachineStatesRequest;
class ListMachineStatesResponse;
class ListMachinesRequest;
class ListMachinesResponse;
class ListModelsRequest;
class ListModelsResponse;
class ListObservationsRequest;
class ListObservationsResponse;
class ListProfilesRequest;
class ListProfilesResponse;
class ListStrategiesRequest;
class ListStrategiesResponse;
class ListTokensRequest;
class ListTokensResponse;
class Machine;
class PinProfileRequest;
class PredictRequest;
class PredictResponse;
class Profile;
class RecommendRequest;
class RecommendResponse;
class RecommendRoutesRequest;
class RecommendRoutesResponse;
class ReduceBlocksRequest;
class ReduceBlocksResponse;
class ReportObservationsRequest;
class ReportObservationsResponse;
class RevokeTokenRequest;
class RollbackProfileRequest;
class SuggestMeasurementsRequest;
class SuggestMeasurementsResponse;
class SetSwitchesRequest;
class Switches;
class UndeleteMachineRequest;
class WatchProfileRequest;
class WhoAmIRequest;
class WhoAmIResponse;
}  // namespace cox::v1

namespace cox::cli {

// `path` is as it goes over the wire: "/package.Service/Method".
template <class Request, class Response>
struct Method {
  using RequestType = Request;
  using ResponseType = Response;
  const char* path;
};
// The client sends many requests.
template <class Request, class Response>
struct ClientStreamMethod : Method<Request, Response> {};
// The daemon sends many responses.
template <class Request, class Response>
struct ServerStreamMethod : Method<Request, Response> {};

inline constexpr Method<v1::PredictRequest, v1::PredictResponse> kPredict{
    "/cox.v1.AdviceService/Predict"};
inline constexpr Method<v1::RecommendRequest, v1::RecommendResponse> kRecommend{
    "/cox.v1.AdviceService/Recommend"};
inline constexpr Method<v1::BatchRecommendRequest, v1::BatchRecommendResponse> kBatchRecommend{
    "/cox.v1.AdviceService/BatchRecommend"};
inline constexpr Method<v1::ExplainRequest, v1::ExplainResponse> kExplain{
    "/cox.v1.AdviceService/Explain"};
inline constexpr ClientStreamMethod<v1::EvaluatePatternRequest, v1::EvaluatePatternResponse>
    kEvaluatePattern{{"/cox.v1.AdviceService/EvaluatePattern"}};
inline constexpr Method<v1::RecommendRoutesRequest, v1::RecommendRoutesResponse> kRecommendRoutes{
    "/cox.v1.AdviceService/RecommendRoutes"};
inline constexpr Method<v1::EvaluateKernelRequest, v1::EvaluateKernelResponse> kEvaluateKernel{
    "/cox.v1.AdviceService/EvaluateKernel"};
inline constexpr Method<v1::GetTuningRequest, v1::GetTuningResponse> kGetTuning{
    "/cox.v1.AdviceService/GetTuning"};
inline constexpr Method<v1::GetDecisionsRequest, v1::GetDecisionsResponse> kGetDecisions{
    "/cox.v1.AdviceService/GetDecisions"};
inline constexpr Method<v1::GetAccuracyRequest, v1::GetAccuracyResponse> kGetAccuracy{
    "/cox.v1.AdviceService/GetAccuracy"};
inline constexpr Method<v1::SuggestMeasurementsRequest, v1::SuggestMeasurementsResponse>
    kSuggestMeasurements{"/cox.v1.AdviceService/SuggestMeasurements"};

inline constexpr Method<v1::CalibrateRequest, v1::CalibrateResponse> kCalibrate{
    "/cox.v1.CalibrationService/Calibrate"};

inline constexpr Method<v1::CreateMachineRequest, v1::Machine> kCreateMachine{
    "/cox.v1.MachineService/CreateMachine"};
inline constexpr Method<v1::GetMachineRequest, v1::Machine> kGetMachine{
    "/cox.v1.MachineService/GetMachine"};
inline constexpr Method<v1::ListMachinesRequest, v1::ListMachinesResponse> kListMachines{
    "/cox.v1.MachineService/ListMachines"};
inline constexpr Method<v1::DeleteMachineRequest, google::protobuf::Empty> kDeleteMachine{
    "/cox.v1.MachineService/DeleteMachine"};
inline constexpr Method<v1::UndeleteMachineRequest, v1::Machine> kUndeleteMachine{
    "/cox.v1.MachineService/UndeleteMachine"};
inline constexpr Method<v1::SetSwitchesRequest, v1::Switches> kSetSwitches{
    "/cox.v1.MachineService/SetSwitches"};
inline constexpr Method<v1::GetSwitchesRequest, v1::Switches> kGetSwitches{
    "/cox.v1.MachineService/GetSwitches"};

inline constexpr Method<v1::CreateProfileRequest, v1::Profile> kCreateProfile{
    "/cox.v1.ProfileService/CreateProfile"};
inline constexpr Method<v1::GetProfileRequest, v1::Profile> kGetProfile{
    "/cox.v1.ProfileService/GetProfile"};
inline constexpr Method<v1::ListProfilesRequest, v1::ListProfilesResponse> kListProfiles{
    "/cox.v1.ProfileService/ListProfiles"};
inline constexpr Method<v1::PinProfileRequest, v1::Profile> kPinProfile{
    "/cox.v1.ProfileService/PinProfile"};
inline constexpr Method<v1::RollbackProfileRequest, v1::Profile> kRollbackProfile{
    "/cox.v1.ProfileService/RollbackProfile"};
inline constexpr Method<v1::AcceptProfileRequest, v1::Profile> kAcceptProfile{
    "/cox.v1.ProfileService/AcceptProfile"};
inline constexpr ServerStreamMethod<v1::WatchProfileRequest, v1::Profile> kWatchProfile{
    {"/cox.v1.ProfileService/WatchProfile"}};

inline constexpr Method<v1::WhoAmIRequest, v1::WhoAmIResponse> kWhoAmI{
    "/cox.v1.AccessService/WhoAmI"};
inline constexpr Method<v1::CreateTokenRequest, v1::CreateTokenResponse> kCreateToken{
    "/cox.v1.AccessService/CreateToken"};
inline constexpr Method<v1::ListTokensRequest, v1::ListTokensResponse> kListTokens{
    "/cox.v1.AccessService/ListTokens"};
inline constexpr Method<v1::RevokeTokenRequest, google::protobuf::Empty> kRevokeToken{
    "/cox.v1.AccessService/RevokeToken"};

inline constexpr Method<v1::ListAuditRecordsRequest, v1::ListAuditRecordsResponse>
    kListAuditRecords{"/cox.v1.AccessService/ListAuditRecords"};

inline constexpr Method<v1::ListModelsRequest, v1::ListModelsResponse> kListModels{
    "/cox.v1.ModelService/ListModels"};
inline constexpr Method<v1::ListStrategiesRequest, v1::ListStrategiesResponse> kListStrategies{
    "/cox.v1.ModelService/ListStrategies"};
inline constexpr Method<v1::ListKernelsRequest, v1::ListKernelsResponse> kListKernels{
    "/cox.v1.ModelService/ListKernels"};
inline constexpr Method<v1::ListDefaultChoicesRequest, v1::ListDefaultChoicesResponse>
    kListDefaultChoices{"/cox.v1.ModelService/ListDefaultChoices"};
inline constexpr Method<v1::ReduceBlocksRequest, v1::ReduceBlocksResponse> kReduceBlocks{
    "/cox.v1.ModelService/ReduceBlocks"};
inline constexpr Method<v1::InferBlocksRequest, v1::InferBlocksResponse> kInferBlocks{
    "/cox.v1.ModelService/InferBlocks"};

inline constexpr Method<v1::ReportObservationsRequest, v1::ReportObservationsResponse>
    kReportObservations{"/cox.v1.ObservationService/ReportObservations"};
inline constexpr Method<v1::ListObservationsRequest, v1::ListObservationsResponse>
    kListObservations{"/cox.v1.ObservationService/ListObservations"};
inline constexpr Method<v1::CountObservationsRequest, v1::CountObservationsResponse>
    kCountObservations{"/cox.v1.ObservationService/CountObservations"};
inline constexpr Method<v1::ForgetObservationsRequest, v1::ForgetObservationsResponse>
    kForgetObservations{"/cox.v1.ObservationService/ForgetObservations"};
inline constexpr Method<v1::ListDriftsRequest, v1::ListDriftsResponse> kListDrifts{
    "/cox.v1.ObservationService/ListDrifts"};

inline constexpr Method<v1::ListMachineStatesRequest, v1::ListMachineStatesResponse>
    kListMachineStates{"/cox.v1.HistoryService/ListMachineStates"};

inline constexpr Method<v1::GetSavingsRequest, v1::GetSavingsResponse> kGetSavings{
    "/cox.v1.HistoryService/GetSavings"};

inline constexpr Method<v1::GetStoreStatusRequest, v1::GetStoreStatusResponse> kGetStoreStatus{
    "/cox.v1.StoreService/GetStoreStatus"};
inline constexpr Method<v1::CreateBackupRequest, v1::CreateBackupResponse> kCreateBackup{
    "/cox.v1.StoreService/CreateBackup"};
inline constexpr Method<v1::CheckStoreRequest, v1::CheckStoreResponse> kCheckStore{
    "/cox.v1.StoreService/CheckStore"};
inline constexpr Method<v1::CompactStoreRequest, v1::CompactStoreResponse> kCompactStore{
    "/cox.v1.StoreService/CompactStore"};

inline constexpr Method<grpc::health::v1::HealthCheckRequest, grpc::health::v1::HealthCheckResponse>
    kHealthCheck{"/grpc.health.v1.Health/Check"};

// All of them, for the test.
inline constexpr std::tuple kMethods = {kPredict,
                                        kRecommend,
                                        kBatchRecommend,
                                        kExplain,
                                        kEvaluatePattern,
                                        kRecommendRoutes,
                                        kEvaluateKernel,
                                        kGetTuning,
                                        kGetDecisions,
                                        kGetAccuracy,
                                        kCalibrate,
                                        kCreateMachine,
                                        kGetMachine,
                                        kListMachines,
                                        kDeleteMachine,
                                        kUndeleteMachine,
                                        kSetSwitches,
                                        kGetSwitches,
                                        kCreateProfile,
                                        kGetProfile,
                                        kListProfiles,
                                        kPinProfile,
                                        kRollbackProfile,
                                        kAcceptProfile,
                                        kWatchProfile,
                                        kListModels,
                                        kListStrategies,
                                        kListKernels,
                                        kListDefaultChoices,
                                        kReduceBlocks,
                                        kInferBlocks,
                                        kReportObservations,
                                        kListObservations,
                                        kCountObservations,
                                        kForgetObservations,
                                        kListDrifts,
                                        kSuggestMeasurements,
                                        kListMachineStates,
                                        kGetSavings,
                                        kGetStoreStatus,
                                        kCreateBackup,
                                        kCheckStore,
                                        kCompactStore,
                                        kWhoAmI,
                                        kCreateToken,
                                        kListTokens,
                                        kRevokeToken,
                                        kListAuditRecords,
                                        kHealthCheck};

}  // namespace cox::cli

#endif  // COX_CLI_METHODS_H_
