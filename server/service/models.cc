#include "service/models.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "domain/collective.h"
#include "domain/level.h"
#include "domain/parse_collective.h"
#include "library/algorithms.h"
#include "library/libraries.h"
#include "model/model.h"
#include "model/profile.h"
#include "service/answers/block_answer.h"
#include "service/answers/default_answer.h"
#include "service/answers/infer_answer.h"
#include "service/answers/kernel_answers.h"
#include "service/unary.h"
#include "strategy/catalogue.h"

namespace cox::service {
namespace {

void Describe(const strategy::Algorithm& algorithm, v1::Strategy* out) {
  out->set_algorithm(std::string(algorithm.name));
  out->set_description(std::string(algorithm.description));
  out->set_knobs(std::string(algorithm.knobs));
  out->set_source(std::string(algorithm.source));
}

// Rows of the catalogue itself.
void AddCatalogue(absl::string_view collective, v1::ListStrategiesResponse* response) {
  for (const strategy::Algorithm& algorithm : strategy::Catalogue()) {
    const absl::string_view name = domain::CollectiveName(algorithm.collective);
    if (!collective.empty() && name != collective) continue;
    v1::Strategy* out = response->add_strategies();
    out->set_name(absl::StrCat(name, "/", algorithm.name));
    out->set_collective(std::string(name));
    out->set_native_id(-1);
    Describe(algorithm, out);
  }
}

void AddLibrary(absl::string_view library, absl::string_view collective,
                v1::ListStrategiesResponse* response) {
  for (const library::Algorithm& row : library::AlgorithmsOf(library)) {
    const absl::string_view name = domain::CollectiveName(row.collective);
    if (!collective.empty() && name != collective) continue;
    v1::Strategy* out = response->add_strategies();
    out->set_name(std::string(row.strategy));
    out->set_collective(std::string(name));
    out->set_native_name(std::string(row.native_name));
    out->set_native_id(row.native_id);
    out->set_needs(library::DescribeNeeds(row.needs));
    out->set_source(std::string(row.source));
    if (const auto strategy = strategy::ParseStrategy(row.strategy); strategy.ok()) {
      Describe(*strategy->algorithm, out);
    }
  }
}

}  // namespace

Models::Models() = default;
Models::~Models() = default;

grpc::ServerUnaryReactor* Models::ListModels(grpc::CallbackServerContext* context,
                                             const v1::ListModelsRequest* /*request*/,
                                             v1::ListModelsResponse* response) {
  // Clients compare it with their own: `cox doctor` does.
  context->AddInitialMetadata("coxd-version", COX_VERSION);
  for (const model::Model* model : model::Models()) {
    v1::Model* out = response->add_models();
    out->set_id(std::string(model->id()));
    out->set_description(std::string(model->description()));
    out->set_source(std::string(model->source()));
    out->set_sees(std::string(model->sees()));
    out->set_blind_to(std::string(model->blind_to()));
    for (const model::ParameterSpec& spec : model->parameters()) {
      v1::ParameterSpec* parameter = out->add_parameters();
      parameter->set_name(std::string(spec.name));
      parameter->set_level(std::string(domain::LevelName(spec.level)));
      parameter->set_unit(std::string(spec.unit));
      parameter->set_description(std::string(spec.description));
      parameter->set_required(spec.required);
      parameter->set_stated(spec.stated);
      parameter->set_argument(std::string(spec.argument));
    }
  }
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* Models::ListStrategies(grpc::CallbackServerContext* context,
                                                 const v1::ListStrategiesRequest* request,
                                                 v1::ListStrategiesResponse* response) {
  if (!request->collective().empty()) {
    if (const auto known = domain::ParseCollective(request->collective()); !known.ok()) {
      return Finish(context, known.status());
    }
  }
  if (request->library().empty()) {
    AddCatalogue(request->collective(), response);
    return Finish(context, absl::OkStatus());
  }
  if (library::AlgorithmsOf(request->library()).empty()) {
    return Finish(context, absl::NotFoundError(absl::StrCat(
                               "library: there is no library \"", request->library().substr(0, 64),
                               "\"; there are ", library::LibraryNames())));
  }
  AddLibrary(request->library(), request->collective(), response);
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* Models::ListKernels(grpc::CallbackServerContext* context,
                                              const v1::ListKernelsRequest* /*request*/,
                                              v1::ListKernelsResponse* response) {
  AddKernels(response);
  return Finish(context, absl::OkStatus());
}

grpc::ServerUnaryReactor* Models::ListDefaultChoices(grpc::CallbackServerContext* context,
                                                     const v1::ListDefaultChoicesRequest* request,
                                                     v1::ListDefaultChoicesResponse* response) {
  return Finish(context, AnswerDefaultChoices(*request, response));
}

grpc::ServerUnaryReactor* Models::ReduceBlocks(grpc::CallbackServerContext* context,
                                               const v1::ReduceBlocksRequest* request,
                                               v1::ReduceBlocksResponse* response) {
  return Finish(context, AnswerReduceBlocks(*request, response));
}

grpc::ServerUnaryReactor* Models::InferBlocks(grpc::CallbackServerContext* context,
                                              const v1::InferBlocksRequest* request,
                                              v1::InferBlocksResponse* response) {
  return Finish(context, AnswerInferBlocks(*request, response));
}

}  // namespace cox::service
