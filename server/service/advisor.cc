#include "service/advisor.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "advise/recommend.h"
#include "domain/errors.h"
#include "domain/sharing/caller_watch.h"
#include "domain/sharing/in_parts.h"
#include "learn/correct/interval.h"
#include "service/answers/accuracy_answer.h"
#include "service/answers/decisions_answer.h"
#include "service/answers/find_machine.h"
#include "service/answers/kernel_answers.h"
#include "service/answers/scenario_answers.h"
#include "service/answers/suggest_answer.h"
#include "service/answers/tuning_answer.h"
#include "service/convert/nodes_in_use.h"
#include "service/entry/admission.h"
#include "service/entry/door.h"
#include "service/history/routes_answer.h"
#include "service/history/visible_names.h"
#include "service/limits.h"
#include "service/streams/pattern_stream.h"
#include "service/unary.h"

namespace cox::service {
namespace {

// Of a question in a batch and its answer, strings included; alternatives are some ten or twenty.
constexpr int64_t kAnswerBytes = 1'024;
constexpr int64_t kAnswerWithAlternativesBytes = 8'192;
// The view of a revision takes as long to build as thousands of answers.
constexpr size_t kMaxRevisionsPerBatch = 4;
// More take tens of milliseconds of arithmetic, and those who wait for a tuning come first.
constexpr int kMaxQuickQuestions = 64;
// Answering so many takes a millisecond or two; threads share a batch in such parts.
constexpr size_t kQuestionsPerPart = 512;
// The links between switches are priced message by message.
constexpr int64_t kMaxPlacedPerBatch = 64;

absl::StatusOr<advise::Question> ToQuestion(const advise::MachineView& machine,
                                            const v1::RecommendRequest& request) {
  if (request.candidates_size() > kMaxCandidates) {
    return domain::InvalidField(
        "candidates",
        absl::StrCat("at most ", kMaxCandidates, "; there are ", request.candidates_size()));
  }
  if (request.library().empty()) return domain::InvalidField("library", "is required");
  advise::Question question;
  question.library = request.library();
  question.collective = request.collective();
  question.nodes = request.nodes();
  question.ppn = request.ppn() == 0 ? machine.cores_per_node : request.ppn();
  if (request.ranks() == 0 && request.nodes() == 0) {
    return domain::InvalidField("ranks", "is required (or nodes, to mean nodes * ppn)");
  }
  question.ranks = request.ranks();
  if (question.ranks == 0 &&
      __builtin_mul_overflow(request.nodes(), question.ppn, &question.ranks)) {
    return domain::InvalidField("nodes", "nodes * ppn is larger than 2^63");
  }
  question.block_bytes = request.block_bytes();
  if (request.type_bytes() != 0) question.type_bytes = request.type_bytes();
  question.assume = {.commutative = request.assume_commutative(),
                     .elements_at_least_ranks = request.assume_elements_at_least_ranks(),
                     .same_counts = request.assume_same_counts()};
  question.candidates.assign(request.candidates().begin(), request.candidates().end());
  if (absl::Status valid = advise::Validate(machine, question); !valid.ok()) return valid;
  return question;
}

void SetInterval(const advise::Candidate& candidate,
                 google::protobuf::RepeatedField<double>* interval_s) {
  interval_s->Reserve(2);
  interval_s->Add(candidate.low_s);
  interval_s->Add(candidate.high_s);
}

void SetEvidence(const advise::Evidence& evidence, v1::RecommendResponse* response) {
  if (evidence.price) response->add_evidence(v1::EVIDENCE_PRICE);
  if (evidence.benchmark) response->add_evidence(v1::EVIDENCE_BENCHMARK);
  if (evidence.jobs) response->add_evidence(v1::EVIDENCE_JOBS);
  if (evidence.canary) response->add_evidence(v1::EVIDENCE_CANARY);
  if (evidence.one_source) response->add_evidence(v1::EVIDENCE_ONE_SOURCE);
}

// The time of a call in a job: longer by a factor that is known only so far.
void SetJobTime(const learn::JobFactor* in_jobs, const advise::Candidate& chosen,
                v1::RecommendResponse* response) {
  if (in_jobs == nullptr || !(chosen.predicted_time_s > 0)) return;
  const double log_time = std::log(chosen.predicted_time_s) + in_jobs->log_factor;
  const double half_width = std::hypot(std::log(chosen.high_s / chosen.low_s) / 2,
                                       learn::kIntervalSigmas * std::sqrt(in_jobs->variance));
  response->set_job_time_s(std::exp(log_time));
  response->add_job_interval_s(std::exp(log_time - half_width));
  response->add_job_interval_s(std::exp(log_time + half_width));
}

absl::Status AnswerOn(const advise::MachineView& machine, const v1::RecommendRequest& request,
                      NodeFinder* finder, DecisionCounts* decisions,
                      const domain::IsCancelled& is_cancelled, v1::RecommendResponse* response) {
  absl::StatusOr<advise::Question> question = ToQuestion(machine, request);
  if (!question.ok()) return question.status();
  const absl::StatusOr<std::optional<advise::NodesInUse>> nodes = finder->Find(
      request.machine(), request.node_list(), (question->ranks - 1) / question->ppn + 1,
      request.assume_idle_switches(), request.nodes());
  if (!nodes.ok()) return nodes.status();
  if (nodes->has_value()) {
    domain::CallerWatch caller(is_cancelled, 1);
    if (caller.IsGone()) return caller.status();
    question->nodes_in_use = &**nodes;
    FromNodesInUse(**nodes, response->mutable_nodes_in_use());
  }
  advise::Answer answer = advise::Recommend(machine, *question, request.include_alternatives());
  decisions->Count(answer.chosen.algorithm, answer.chosen.predicted_time_s);
  if (answer.chosen.native_id >= 0) response->set_native_id(answer.chosen.native_id);
  if (answer.chosen.predicted_time_s > 0) {
    response->set_predicted_time_s(answer.chosen.predicted_time_s);
    SetInterval(answer.chosen, response->mutable_interval_s());
  }
  SetEvidence(answer.evidence, response);
  SetJobTime(machine.corrections->InJobs(question->library, question->collective), answer.chosen,
             response);
  if (answer.default_time_s > 0) response->set_default_time_s(answer.default_time_s);
  response->set_algorithm(std::move(answer.chosen.algorithm));
  response->set_strategy(std::move(answer.chosen.strategy));
  response->set_model(std::move(answer.model));
  response->set_reason(std::move(answer.reason));
  for (std::string& caveat : answer.caveats) response->add_caveats(std::move(caveat));
  response->set_default_algorithm(answer.default_algorithm.data(), answer.default_algorithm.size());
  response->set_profile_revision(machine.revision);
  for (advise::Candidate& candidate : answer.ranked) {
    v1::Alternative* out = response->add_alternatives();
    out->set_algorithm(std::move(candidate.algorithm));
    out->set_strategy(std::move(candidate.strategy));
    out->set_predicted_time_s(candidate.predicted_time_s);
    SetInterval(candidate, out->mutable_interval_s());
  }
  return absl::OkStatus();
}

template <typename Rows>
void CountRows(const Rows& rows, DecisionCounts* decisions) {
  for (const auto& row : rows) {
    decisions->Count(row.algorithm(), row.predicted_time_s(), !row.trial().empty());
  }
}

// From a pool if the request names a revision or nodes.
absl::Status Answer(const daemon::Snapshot& snapshot, const v1::RecommendRequest& request,
                    RevisionViews* revisions, NodeFinder* finder, DecisionCounts* decisions,
                    const domain::IsCancelled& is_cancelled, v1::RecommendResponse* response) {
  const absl::StatusOr<const advise::MachineView*> machine =
      FindMachine(snapshot, request.machine(), "machine");
  if (!machine.ok()) return machine.status();
  if (request.profile_revision() == 0) {
    return AnswerOn(**machine, request, finder, decisions, is_cancelled, response);
  }
  const absl::StatusOr<RevisionViews::View> view =
      revisions->Find(snapshot.at((*machine)->name), request.profile_revision(), is_cancelled);
  if (!view.ok()) return view.status();
  return AnswerOn(**view, request, finder, decisions, is_cancelled, response);
}

domain::InParts OnIdleThreads(daemon::BlockingPool* pool) {
  return std::bind_front(&daemon::BlockingPool::RunInParts, pool);
}

// From the pool for heavy questions. The door counts methods that are always heavy; this counts
// one that its request makes heavy.
template <typename Handler>
grpc::ServerUnaryReactor* FinishHeavy(const Core& core, grpc::CallbackServerContext* context,
                                      Handler handler) {
  const absl::Status within = core.quotas->Take(CallingPrincipal(), access::Quota::kQuestions, 1);
  if (!within.ok()) return Finish(context, within);
  return FinishFromPool(*core.heavy_pool, context, std::move(handler));
}

}  // namespace

Advisor::Advisor(const Core& core) : core_(core), revision_views_(core.store) {
  SetMessageAllocatorFor_Recommend(&recommend_allocator_);
  SetMessageAllocatorFor_BatchRecommend(&batch_allocator_);
  // In place of the generated handler, which would parse each message on a thread of gRPC.
  const int index = v1::EvaluatePatternRequest::descriptor()
                        ->file()
                        ->FindServiceByName("AdviceService")
                        ->FindMethodByName("EvaluatePattern")
                        ->index();
  MarkMethodCallback(
      index,
      new grpc::internal::CallbackClientStreamingHandler<grpc::ByteBuffer,
                                                         v1::EvaluatePatternResponse>(
          [this](grpc::CallbackServerContext* context, v1::EvaluatePatternResponse* response) {
            return StartPatternStream(core_, context, CallingPrincipal(), &pattern_messages_,
                                      response);
          }));
}
Advisor::~Advisor() = default;

grpc::ServerUnaryReactor* Advisor::Predict(grpc::CallbackServerContext* context,
                                           const v1::PredictRequest* request,
                                           v1::PredictResponse* response) {
  const auto answer = [this, request, response,
                       is_cancelled = CancelledBy(context)]() -> absl::Status {
    return AnswerPredict(core_.snapshots->Load(), *request, NodeFinder(core_.store), is_cancelled,
                         response);
  };
  if (!request->node_list().empty()) return FinishHeavy(core_, context, answer);
  return Finish(context, answer());
}

grpc::ServerUnaryReactor* Advisor::Explain(grpc::CallbackServerContext* context,
                                           const v1::ExplainRequest* request,
                                           v1::ExplainResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, request, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        return AnswerExplain(core_.snapshots->Load(), *request, NodeFinder(core_.store),
                             is_cancelled, response);
      });
}

grpc::ServerUnaryReactor* Advisor::BatchEvaluate(grpc::CallbackServerContext* context,
                                                 const v1::BatchEvaluateRequest* request,
                                                 v1::BatchEvaluateResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, request, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        return AnswerBatchEvaluate(core_.snapshots->Load(), *request, is_cancelled, response);
      });
}

grpc::ServerUnaryReactor* Advisor::RecommendRoutes(grpc::CallbackServerContext* context,
                                                   const v1::RecommendRoutesRequest* request,
                                                   v1::RecommendRoutesResponse* response) {
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, request, response, is_cancelled = CancelledBy(context),
       visible = VisibleNames(core_.hides_foreign_jobs, CallingPrincipal())]() -> absl::Status {
        return AnswerRoutes(*core_.snapshots->Load(), *core_.store, visible, *request, is_cancelled,
                            response);
      });
}

grpc::ServerUnaryReactor* Advisor::EvaluateKernel(grpc::CallbackServerContext* context,
                                                  const v1::EvaluateKernelRequest* request,
                                                  v1::EvaluateKernelResponse* response) {
  return Finish(context, AnswerKernel(core_.snapshots->Load(), *request, response));
}

grpc::ServerUnaryReactor* Advisor::Recommend(grpc::CallbackServerContext* context,
                                             const v1::RecommendRequest* request,
                                             v1::RecommendResponse* response) {
  const bool is_heavy = request->profile_revision() != 0 || !request->node_list().empty();
  const auto answer = [this, request, response,
                       is_cancelled = CancelledBy(context)]() -> absl::Status {
    NodeFinder finder(core_.store);
    return Answer(*core_.snapshots->Load(), *request, &revision_views_, &finder, &decisions_,
                  is_cancelled, response);
  };
  if (is_heavy) return FinishHeavy(core_, context, answer);
  return Finish(context, answer());
}

grpc::ServerUnaryReactor* Advisor::BatchRecommend(grpc::CallbackServerContext* context,
                                                  const v1::BatchRecommendRequest* request,
                                                  v1::BatchRecommendResponse* response) {
  if (request->requests_size() > kMaxQuestionsPerBatch) {
    return Finish(context, domain::InvalidField(
                               "requests", absl::StrCat("at most ", kMaxQuestionsPerBatch,
                                                        "; there are ", request->requests_size())));
  }
  std::set<std::pair<absl::string_view, int64_t>> revisions;
  for (const v1::RecommendRequest& question : request->requests()) {
    if (question.profile_revision() != 0) {
      revisions.emplace(question.machine(), question.profile_revision());
    }
  }
  if (revisions.size() > kMaxRevisionsPerBatch) {
    return Finish(
        context,
        domain::InvalidField("requests", absl::StrCat("may name at most ", kMaxRevisionsPerBatch,
                                                      " revisions; they name ", revisions.size())));
  }
  const auto placed_count = std::count_if(
      request->requests().begin(), request->requests().end(),
      [](const v1::RecommendRequest& question) { return !question.node_list().empty(); });
  if (placed_count > kMaxPlacedPerBatch) {
    return Finish(context,
                  domain::InvalidField(
                      "requests", absl::StrCat("at most ", kMaxPlacedPerBatch,
                                               " may have a node_list; ", placed_count, " have")));
  }
  const bool lists_all = std::any_of(
      request->requests().begin(), request->requests().end(),
      [](const v1::RecommendRequest& question) { return question.include_alternatives(); });
  const absl::StatusOr<daemon::MemoryBudget::Lease> lease =
      Admit(*core_.memory, CallingPrincipal(), *request, request->requests_size(),
            lists_all ? kAnswerWithAlternativesBytes : kAnswerBytes);
  if (!lease.ok()) return Finish(context, lease.status());
  const bool is_plain = revisions.empty() && placed_count == 0;
  const bool is_quick = is_plain && request->requests_size() <= kMaxQuickQuestions;
  daemon::BlockingPool& pool = is_quick ? *core_.pool : *core_.heavy_pool;
  // From a pool, so that gRPC's threads go on.
  const auto answer = [this, context, request, response, is_plain, &pool,
                       lease = *lease]() -> absl::Status {
    const std::shared_ptr<const daemon::Snapshot> snapshot = core_.snapshots->Load();
    response->mutable_responses()->Reserve(request->requests_size());
    for (int i = 0; i < request->requests_size(); ++i) response->add_responses();
    const auto answer_part = [&](size_t begin, size_t end) {
      NodeFinder finder(core_.store);
      const domain::IsCancelled is_cancelled = CancelledBy(context);
      for (size_t i = begin; i < end && !context->IsCancelled(); ++i) {
        const int index = static_cast<int>(i);
        v1::RecommendResponse* out = response->mutable_responses(index);
        const absl::Status answered = Answer(*snapshot, request->requests(index), &revision_views_,
                                             &finder, &decisions_, is_cancelled, out);
        if (!answered.ok()) out->set_error(std::string(answered.message()));
      }
    };
    const auto count = static_cast<size_t>(request->requests_size());
    pool.RunInParts(count, is_plain ? kQuestionsPerPart : count + 1, answer_part);
    return context->IsCancelled() ? domain::CallerGone() : absl::OkStatus();
  };
  return FinishFromPool(pool, context, answer);
}

grpc::ServerUnaryReactor* Advisor::GetTuning(grpc::CallbackServerContext* context,
                                             const v1::GetTuningRequest* request,
                                             v1::GetTuningResponse* response) {
  const bool is_placed = !request->node_list().empty();
  // What is kept of nodes has a key that names the stored switches, too: that takes the store.
  if (!is_placed && IsNotModified(*core_.snapshots->Load(), decision_cache_, *request, response)) {
    return Finish(context, absl::OkStatus());
  }
  daemon::DecisionCache* cache = is_placed ? &placed_cache_ : &decision_cache_;
  // Those of nodes take seconds, so they leave a thread to others.
  domain::InParts in_parts;
  if (!is_placed) in_parts = OnIdleThreads(core_.pool);
  const auto answer = [this, request, response, cache, in_parts,
                       is_cancelled = CancelledBy(context)]() -> absl::Status {
    absl::Status answered =
        AnswerTuning(*core_.snapshots->Load(), *request, NodeFinder(core_.store), cache,
                     is_cancelled, in_parts, response);
    CountRows(response->rows(), &decisions_);
    return answered;
  };
  return is_placed ? FinishHeavy(core_, context, answer)
                   : FinishFromPool(*core_.pool, context, answer);
}

grpc::ServerUnaryReactor* Advisor::GetDecisions(grpc::CallbackServerContext* context,
                                                const v1::GetDecisionsRequest* request,
                                                v1::GetDecisionsResponse* response) {
  if (IsNotModified(*core_.snapshots->Load(), decision_cache_, *request, response)) {
    return Finish(context, absl::OkStatus());
  }
  return FinishFromPool(
      *core_.pool, context,
      [this, request, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        absl::Status answered =
            AnswerDecisions(*core_.snapshots->Load(), *request, &decision_cache_, is_cancelled,
                            OnIdleThreads(core_.pool), response);
        CountRows(response->decisions(), &decisions_);
        return answered;
      });
}

grpc::ServerUnaryReactor* Advisor::SuggestMeasurements(
    grpc::CallbackServerContext* context, const v1::SuggestMeasurementsRequest* request,
    v1::SuggestMeasurementsResponse* response) {
  // From the pool: thousands of places are weighed.
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, request, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        return AnswerSuggestions(*core_.snapshots->Load(), *request, is_cancelled, response);
      });
}

grpc::ServerUnaryReactor* Advisor::GetAccuracy(grpc::CallbackServerContext* context,
                                               const v1::GetAccuracyRequest* request,
                                               v1::GetAccuracyResponse* response) {
  // From the pool: thousands of cells are sorted by each model's error.
  return FinishFromPool(
      *core_.heavy_pool, context,
      [this, request, response, is_cancelled = CancelledBy(context)]() -> absl::Status {
        return AnswerAccuracy(*core_.snapshots->Load(), *request, &revision_views_, is_cancelled,
                              response);
      });
}

}  // namespace cox::service
