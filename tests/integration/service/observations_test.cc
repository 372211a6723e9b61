#include <gtest/gtest.h>

#include <cmath>
#include <ctime>
#include <functional>
#include <set>
#include <thread>

#include "daemon.h"

namespace cox {
namespace {

using ObservationStub = v1::ObservationService::Stub;

v1::ReportObservationsRequest Batch(const std::string& machine, int size,
                                    const std::string& job = "", int64_t sequence = 0) {
  v1::ReportObservationsRequest request;
  request.set_job(job);
  request.set_sequence(sequence);
  for (int i = 0; i < size; ++i) *request.add_observations() = MakeObservation(machine, i);
  return request;
}

v1::CountObservationsResponse Count(const Daemon& daemon, const std::string& machine = "",
                                    const std::string& job = "") {
  v1::CountObservationsRequest request;
  request.set_machine(machine);
  request.set_job(job);
  v1::CountObservationsResponse response;
  EXPECT_TRUE(
      Call(&ObservationStub::CountObservations, daemon.Observations(), request, &response).ok());
  return response;
}

TEST(Observations, AreStoredListedInPagesAndCounted) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  v1::ReportObservationsResponse reported;
  ASSERT_TRUE(
      Call(&ObservationStub::ReportObservations, stub, Batch("delta", 25, "job.1", 1), &reported)
          .ok());
  EXPECT_EQ(reported.stored_count(), 25);
  EXPECT_FALSE(reported.duplicate());
  EXPECT_EQ(Count(daemon, "delta").observation_count(), 25);
  EXPECT_EQ(Count(daemon, "", "job.1").observation_count(), 25);
  EXPECT_EQ(Count(daemon, "", "job.2").observation_count(), 0);

  v1::ListObservationsRequest list;
  list.set_machine("delta");
  list.set_page_size(10);
  std::set<int64_t> ids;
  int pages = 0;
  do {
    v1::ListObservationsResponse page;
    ASSERT_TRUE(Call(&ObservationStub::ListObservations, stub, list, &page).ok());
    for (const auto& observation : page.observations()) {
      EXPECT_EQ(observation.job(), "job.1");
      EXPECT_TRUE(ids.insert(observation.id()).second);
    }
    list.set_page_token(page.next_page_token());
    ++pages;
  } while (!list.page_token().empty());
  EXPECT_EQ(ids.size(), 25u);
  EXPECT_EQ(pages, 3);
}

TEST(Observations, ABatchThatIsResentCountsOnce) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  for (int attempt = 0; attempt < 3; ++attempt) {
    v1::ReportObservationsResponse response;
    ASSERT_TRUE(
        Call(&ObservationStub::ReportObservations, stub, Batch("delta", 10, "j", 7), &response)
            .ok());
    EXPECT_EQ(response.duplicate(), attempt > 0);
    EXPECT_EQ(response.stored_count(), attempt > 0 ? 0 : 10);
    if (attempt == 1) {
      daemon.Stop();
      daemon.Start();
      break;
    }
  }
  v1::ReportObservationsResponse response;
  ASSERT_TRUE(Call(&ObservationStub::ReportObservations, daemon.Observations(),
                   Batch("delta", 10, "j", 7), &response)
                  .ok());
  EXPECT_TRUE(response.duplicate());
  EXPECT_EQ(Count(daemon).observation_count(), 10);
}

TEST(Observations, DroppedTimingsAreAddedUp) {
  Daemon daemon;
  daemon.Register("delta");
  for (int64_t sequence : {1, 2, 2}) {
    v1::ReportObservationsRequest request = Batch("delta", 1, "j", sequence);
    request.set_dropped_count(5);
    v1::ReportObservationsResponse response;
    ASSERT_TRUE(
        Call(&ObservationStub::ReportObservations, daemon.Observations(), request, &response).ok());
  }
  EXPECT_EQ(Count(daemon, "", "j").dropped_count(), 10);
}

TEST(Observations, ABadOneRefusesTheBatchAndNamesItself) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  const struct {
    const char* field;
    std::function<void(v1::ReportObservationsRequest*)> spoil;
  } cases[] = {
      {"observations[3].time_s",
       [](auto* r) { r->mutable_observations(3)->set_time_s(std::nan("")); }},
      {"observations[0].ranks", [](auto* r) { r->mutable_observations(0)->set_ranks(17); }},
      {"observations[4].block_bytes",
       [](auto* r) { r->mutable_observations(4)->set_block_bytes(INT64_MAX); }},
      {"observations[1].machine", [](auto* r) { r->mutable_observations(1)->set_machine(""); }},
      {"sequence", [](auto* r) { r->set_sequence(-1); }},
      {"dropped_count", [](auto* r) { r->set_dropped_count(-1); }},
      {"job", [](auto* r) { r->set_job(std::string(129, 'j')); }},
      {"job", [](auto* r) { r->set_job("a\x1b[2J"); }},
      {"observations", [](auto* r) { *r = Batch("delta", 20'001); }},
  };
  for (const auto& [field, spoil] : cases) {
    v1::ReportObservationsRequest request = Batch("delta", 5, "j", 1);
    spoil(&request);
    v1::ReportObservationsResponse response;
    const grpc::Status status =
        Call(&ObservationStub::ReportObservations, stub, request, &response);
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << field;
    EXPECT_EQ(FieldOf(status), field) << status.error_message();
  }
  EXPECT_EQ(Count(daemon).observation_count(), 0);
}

TEST(Observations, OfAnUnknownMachineAreRefusedOrRegisterIt) {
  Daemon daemon;
  const auto stub = daemon.Observations();
  v1::ReportObservationsRequest request = Batch("delta", 5);
  v1::ReportObservationsResponse response;
  EXPECT_EQ(Call(&ObservationStub::ReportObservations, stub, request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request.set_create_machines(true);
  ASSERT_TRUE(Call(&ObservationStub::ReportObservations, stub, request, &response).ok());
  ASSERT_EQ(response.created_machines_size(), 1);
  EXPECT_EQ(response.created_machines(0), "delta");
  EXPECT_EQ(Count(daemon, "delta").observation_count(), 5);
  v1::GetMachineRequest get;
  get.set_name("machines/delta");
  v1::Machine machine;
  ASSERT_TRUE(Call(&v1::MachineService::Stub::GetMachine, daemon.Machines(), get, &machine).ok());
  EXPECT_EQ(machine.nodes(), 2);
  EXPECT_EQ(machine.cores_per_node(), 8);
}

TEST(Observations, AJobCanBeForgotten) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  v1::ReportObservationsResponse response;
  ASSERT_TRUE(
      Call(&ObservationStub::ReportObservations, stub, Batch("delta", 10, "good", 1), &response)
          .ok());
  ASSERT_TRUE(
      Call(&ObservationStub::ReportObservations, stub, Batch("delta", 10, "bad", 1), &response)
          .ok());
  v1::ForgetObservationsRequest forget;
  v1::ForgetObservationsResponse forgotten;
  EXPECT_EQ(FieldOf(Call(&ObservationStub::ForgetObservations, stub, forget, &forgotten)), "job");
  forget.set_job("bad");
  ASSERT_TRUE(Call(&ObservationStub::ForgetObservations, stub, forget, &forgotten).ok());
  EXPECT_EQ(forgotten.removed_count(), 10);
  EXPECT_EQ(Count(daemon).observation_count(), 10);
  EXPECT_EQ(Count(daemon, "", "bad").observation_count(), 0);
  // The removed batch does not count as a duplicate when the job sends it again.
  ASSERT_TRUE(Call(&ObservationStub::ForgetObservations, stub, forget, &forgotten).ok());
  EXPECT_EQ(forgotten.removed_count(), 0);
}

TEST(Observations, BadFiltersAndPagesAreRefused) {
  Daemon daemon;
  const auto stub = daemon.Observations();
  v1::ListObservationsRequest list;
  v1::ListObservationsResponse page;
  list.set_page_size(-1);
  EXPECT_EQ(FieldOf(Call(&ObservationStub::ListObservations, stub, list, &page)), "page_size");
  list.set_page_size(0);
  list.set_page_token("forged");
  EXPECT_EQ(FieldOf(Call(&ObservationStub::ListObservations, stub, list, &page)), "page_token");
  list.clear_page_token();
  list.set_machine("No Machine");
  EXPECT_EQ(FieldOf(Call(&ObservationStub::ListObservations, stub, list, &page)), "machine");
  v1::CountObservationsRequest count;
  count.set_machine("No Machine");
  v1::CountObservationsResponse counted;
  EXPECT_EQ(FieldOf(Call(&ObservationStub::CountObservations, stub, count, &counted)), "machine");
}

TEST(StreamObservations, AnswersEveryBatchInOrder) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  constexpr int kBatches = 100;
  std::thread writer([&] {
    for (int sequence = 1; sequence <= kBatches; ++sequence) {
      v1::StreamObservationsRequest request;
      *request.mutable_batch() = Batch("delta", 20, "j", sequence);
      if (sequence % 10 == 0) request.mutable_batch()->mutable_observations(3)->set_ranks(0);
      if (!stream->Write(request)) break;
    }
    stream->WritesDone();
  });
  v1::StreamObservationsResponse response;
  for (int sequence = 1; sequence <= kBatches; ++sequence) {
    ASSERT_TRUE(stream->Read(&response)) << sequence;
    EXPECT_EQ(response.sequence(), sequence);
    if (sequence % 10 == 0) {
      EXPECT_EQ(response.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
      EXPECT_NE(response.error_message().find("observations[3].ranks"), std::string::npos);
    } else {
      EXPECT_EQ(response.error_code(), 0) << response.error_message();
      EXPECT_EQ(response.result().stored_count(), 20);
    }
  }
  EXPECT_FALSE(stream->Read(&response));
  writer.join();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(Count(daemon).observation_count(), 90 * 20);
}

// Other threads parse the large ones.
TEST(StreamObservations, LargeAndSmallBatchesKeepTheirOrder) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  constexpr int kBatches = 20;
  constexpr int kLarge = 3'000;
  std::thread writer([&] {
    for (int sequence = 1; sequence <= kBatches; ++sequence) {
      v1::StreamObservationsRequest request;
      *request.mutable_batch() = Batch("delta", sequence % 2 == 0 ? kLarge : 1, "j", sequence);
      EXPECT_EQ(request.ByteSizeLong() > (64 << 10), sequence % 2 == 0);
      if (!stream->Write(request)) break;
    }
    stream->WritesDone();
  });
  v1::StreamObservationsResponse response;
  for (int sequence = 1; sequence <= kBatches; ++sequence) {
    ASSERT_TRUE(stream->Read(&response)) << sequence;
    EXPECT_EQ(response.sequence(), sequence);
    EXPECT_EQ(response.error_code(), 0) << response.error_message();
  }
  EXPECT_FALSE(stream->Read(&response));
  writer.join();
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(Count(daemon).observation_count(), kBatches / 2 * (kLarge + 1));
}

// Small and large; the batch before it is answered.
TEST(StreamObservations, AMessageThatCannotBeParsedEndsTheStreamWithAReason) {
  Daemon daemon;
  daemon.Register("delta");
  for (const size_t bytes : {size_t{100}, size_t{200'000}}) {
    grpc::ClientContext context;
    const auto channel = daemon.channel();
    const grpc::internal::RpcMethod method("/cox.v1.ObservationService/StreamObservations", nullptr,
                                           grpc::internal::RpcMethod::BIDI_STREAMING, channel);
    const std::unique_ptr<
        grpc::ClientReaderWriter<grpc::ByteBuffer, v1::StreamObservationsResponse>>
        stream(grpc::internal::ClientReaderWriterFactory<
               grpc::ByteBuffer, v1::StreamObservationsResponse>::Create(channel.get(), method,
                                                                         &context));
    const auto send = [&stream](const std::string& text) {
      const grpc::Slice slice(text);
      return stream->Write(grpc::ByteBuffer(&slice, 1));
    };
    v1::StreamObservationsRequest request;
    *request.mutable_batch() = Batch("delta", 1);
    ASSERT_TRUE(send(request.SerializeAsString()));
    ASSERT_TRUE(send(std::string(bytes, '\xff')));
    v1::StreamObservationsResponse response;
    ASSERT_TRUE(stream->Read(&response));
    EXPECT_EQ(response.error_code(), 0) << response.error_message();
    EXPECT_FALSE(stream->Read(&response));
    const grpc::Status status = stream->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << status.error_message();
    EXPECT_NE(status.error_message().find("not a valid"), std::string::npos);
  }
}

// A relay may have taken it from one reporter, and sends the batches of others behind it.
TEST(StreamObservations, ABatchOfTooMuchMemoryIsAnsweredAndTheNextOneIsTaken) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  v1::StreamObservationsRequest empty;
  empty.mutable_batch()->set_job("j");
  empty.mutable_batch()->set_sequence(7);
  for (int i = 0; i < 40'000; ++i) empty.mutable_batch()->add_observations();
  ASSERT_GT(empty.ByteSizeLong(), 64 << 10);
  v1::StreamObservationsRequest good;
  *good.mutable_batch() = Batch("delta", 5, "other", 8);
  ASSERT_TRUE(stream->Write(empty));
  ASSERT_TRUE(stream->Write(good));
  stream->WritesDone();
  v1::StreamObservationsResponse response;
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.sequence(), 7);
  EXPECT_EQ(response.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_NE(response.error_message().find("empty parts"), std::string::npos);
  ASSERT_TRUE(stream->Read(&response));
  EXPECT_EQ(response.sequence(), 8);
  EXPECT_EQ(response.result().stored_count(), 5) << response.error_message();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_TRUE(stream->Finish().ok());
}

TEST(Observations, LargeBatchesAreStoredAndLargeNonsenseIsRefused) {
  Daemon daemon;
  daemon.Register("delta");
  v1::ReportObservationsResponse response;
  EXPECT_TRUE(Call(&ObservationStub::ReportObservations, daemon.Observations(),
                   Batch("delta", 3'000), &response)
                  .ok());
  EXPECT_EQ(Count(daemon).observation_count(), 3'000);
  v1::ReportObservationsRequest wrong = Batch("delta", 3'000);
  wrong.mutable_observations(2'999)->set_ranks(0);
  EXPECT_EQ(
      FieldOf(Call(&ObservationStub::ReportObservations, daemon.Observations(), wrong, &response)),
      "observations[2999].ranks");
}

TEST(StreamObservations, WhatWasTakenIsAnsweredWhenTheDaemonDrains) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  v1::StreamObservationsRequest request;
  v1::StreamObservationsResponse response;
  *request.mutable_batch() = Batch("delta", 20, "j", 1);
  ASSERT_TRUE(stream->Write(request));
  ASSERT_TRUE(stream->Read(&response));
  daemon.server().Drain();
  EXPECT_FALSE(stream->Read(&response));
  EXPECT_EQ(stream->Finish().error_code(), grpc::StatusCode::UNAVAILABLE);
  daemon.Stop();
  daemon.Start();
  EXPECT_EQ(Count(daemon).observation_count(), 20);
}

// A list must not read millions of rows to find the few that it wants.
TEST(Observations, AListOfFewAmongManyHasPartialPages) {
  Daemon daemon;
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  const auto report = [&](v1::ReportObservationsRequest batch) {
    v1::ReportObservationsResponse response;
    const grpc::Status status = Call(&ObservationStub::ReportObservations, stub, batch, &response);
    ASSERT_TRUE(status.ok()) << status.error_message();
  };
  v1::ReportObservationsRequest rare = Batch("delta", 1);
  rare.mutable_observations(0)->set_algorithm("rare");
  for (int i = 0; i < 44; ++i) report(Batch("delta", 5'000));
  report(rare);

  v1::ListObservationsRequest request;
  request.set_algorithm("rare");
  for (const bool newest_first : {false, true}) {
    request.set_newest_first(newest_first);
    request.clear_page_token();
    int pages = 0;
    int found = 0;
    do {
      v1::ListObservationsResponse page;
      const grpc::Status status = Call(&ObservationStub::ListObservations, stub, request, &page);
      ASSERT_TRUE(status.ok()) << status.error_message();
      EXPECT_EQ(page.observations_size(), (pages == 1) == newest_first ? 0 : 1);
      found += page.observations_size();
      request.set_page_token(page.next_page_token());
      ++pages;
    } while (!request.page_token().empty());
    EXPECT_EQ(found, 1);
    EXPECT_EQ(pages, 2);
  }
  // What passes over nothing has whole pages.
  v1::ListObservationsRequest all;
  all.set_machine("delta");
  all.set_page_size(10'000);
  v1::ListObservationsResponse page;
  ASSERT_TRUE(Call(&ObservationStub::ListObservations, stub, all, &page).ok());
  EXPECT_EQ(page.observations_size(), 10'000);
}

TEST(StreamObservations, AClientThatGoesAwayLeavesTheDaemonServing) {
  Daemon daemon;
  daemon.Register("delta");
  for (int i = 0; i < 20; ++i) {
    const auto stub = daemon.Observations();
    grpc::ClientContext context;
    const auto stream = stub->StreamObservations(&context);
    v1::StreamObservationsRequest request;
    *request.mutable_batch() = Batch("delta", 500, "j", i);
    ASSERT_TRUE(stream->Write(request));
    context.TryCancel();
  }
  v1::ReportObservationsResponse response;
  EXPECT_TRUE(Call(&ObservationStub::ReportObservations, daemon.Observations(), Batch("delta", 1),
                   &response)
                  .ok());
}

TEST(Observations, OverTheQueueClientsAreToldToRetry) {
  // Nothing is committed for a second, so that the queue fills.
  Daemon daemon(daemon::ConfigValues{
      {"queue-rows", "1200"}, {"commit-delay", "1s"}, {"commit-rows", "1000000"}});
  daemon.Register("delta");
  const auto stub = daemon.Observations();
  grpc::ClientContext context;
  const auto stream = stub->StreamObservations(&context);
  for (int sequence = 1; sequence <= 8; ++sequence) {
    v1::StreamObservationsRequest request;
    *request.mutable_batch() = Batch("delta", 400, "j", sequence);
    ASSERT_TRUE(stream->Write(request));
  }
  stream->WritesDone();
  int refused = 0;
  v1::StreamObservationsResponse response;
  while (stream->Read(&response)) {
    if (response.error_code() == 0) continue;
    EXPECT_EQ(response.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
    EXPECT_GT(response.retry_delay_s(), 0);
    ++refused;
  }
  EXPECT_TRUE(stream->Finish().ok());
  EXPECT_EQ(refused, 6);
  EXPECT_EQ(Count(daemon).observation_count(), 800);
}

// Else it would stay the newest of the machine, and never be old enough to be summed up.
TEST(Observations, NothingWasMeasuredAfterItsReport) {
  Daemon daemon;
  daemon.Register("delta");
  v1::ReportObservationsRequest request;
  for (int i = 0; i < 2; ++i) *request.add_observations() = MakeObservation("delta", i);
  const int64_t before_s = time(nullptr);
  request.mutable_observations(0)->mutable_at()->set_seconds(before_s + 7 * 24 * 3600);
  request.mutable_observations(1)->mutable_at()->set_seconds(before_s - 10);
  v1::ReportObservationsResponse reported;
  ASSERT_TRUE(Call(&v1::ObservationService::Stub::ReportObservations, daemon.Observations(),
                   request, &reported)
                  .ok());
  v1::ListObservationsRequest list;
  list.set_machine("delta");
  v1::ListObservationsResponse listed;
  ASSERT_TRUE(
      Call(&v1::ObservationService::Stub::ListObservations, daemon.Observations(), list, &listed)
          .ok());
  ASSERT_EQ(listed.observations_size(), 2);
  EXPECT_GE(listed.observations(0).at().seconds(), before_s);
  EXPECT_LE(listed.observations(0).at().seconds(), time(nullptr));
  EXPECT_EQ(listed.observations(1).at().seconds(), before_s - 10);
}

}  // namespace
}  // namespace cox
