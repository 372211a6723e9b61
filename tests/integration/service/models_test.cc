#include <gtest/gtest.h>

#include <set>

#include "daemon.h"

namespace cox {
namespace {

using ModelStub = v1::ModelService::Stub;

TEST(Models, AreListedWithWhatTheySeeAndTheirParameters) {
  Daemon daemon;
  v1::ListModelsResponse response;
  ASSERT_TRUE(
      Call(&ModelStub::ListModels, daemon.Models(), v1::ListModelsRequest(), &response).ok());
  std::set<std::string> ids;
  for (const auto& model : response.models()) {
    ids.insert(model.id());
    EXPECT_FALSE(model.source().empty()) << model.id();
    EXPECT_FALSE(model.sees().empty()) << model.id();
    EXPECT_FALSE(model.blind_to().empty()) << model.id();
    EXPECT_GT(model.parameters_size(), 0) << model.id();
    for (const auto& parameter : model.parameters()) EXPECT_FALSE(parameter.unit().empty());
  }
  for (const char* id : {"hockney", "max-rate", "loggp", "hyperbolic"}) {
    EXPECT_TRUE(ids.contains(id)) << id;
  }
}

TEST(Models, StrategiesAreListedForTheCatalogueAndForALibrary) {
  Daemon daemon;
  v1::ListStrategiesRequest request;
  v1::ListStrategiesResponse all;
  ASSERT_TRUE(Call(&ModelStub::ListStrategies, daemon.Models(), request, &all).ok());
  request.set_collective("alltoall");
  request.set_library("openmpi-4.1");
  v1::ListStrategiesResponse some;
  ASSERT_TRUE(Call(&ModelStub::ListStrategies, daemon.Models(), request, &some).ok());
  EXPECT_GT(all.strategies_size(), some.strategies_size());
  bool found = false;
  for (const auto& strategy : some.strategies()) {
    EXPECT_EQ(strategy.collective(), "alltoall");
    if (strategy.native_name() == "pairwise") {
      found = true;
      EXPECT_EQ(strategy.native_id(), 2);
      EXPECT_EQ(strategy.name(), "alltoall/pairwise");
    }
  }
  EXPECT_TRUE(found);
}

TEST(Models, DefaultChoicesAreListedBySize) {
  Daemon daemon;
  v1::ListDefaultChoicesRequest request;
  request.set_library("openmpi-4.1");
  request.set_collective("allreduce");
  request.set_ranks(12);
  v1::ListDefaultChoicesResponse response;
  ASSERT_TRUE(Call(&ModelStub::ListDefaultChoices, daemon.Models(), request, &response).ok());
  ASSERT_EQ(response.choices_size(), 2);
  EXPECT_EQ(response.choices(0).algorithm(), "recursive_doubling");
  EXPECT_EQ(response.choices(0).native_id(), 3);
  EXPECT_EQ(response.choices(0).strategy(), "allreduce/recursive-doubling");
  EXPECT_EQ(response.choices(1).from_block_bytes(), 8192);
  EXPECT_EQ(response.choices(1).runs(), "rabenseifner");
  EXPECT_FALSE(response.choices(1).source().empty());

  request.set_ranks(1);
  EXPECT_EQ(FieldOf(Call(&ModelStub::ListDefaultChoices, daemon.Models(), request, &response)),
            "ranks");
  request.set_ranks(12);
  request.set_ppn(-1);
  EXPECT_EQ(FieldOf(Call(&ModelStub::ListDefaultChoices, daemon.Models(), request, &response)),
            "ppn");
  request.set_ppn(0);
  request.set_library("mpi-0.1");
  EXPECT_EQ(Call(&ModelStub::ListDefaultChoices, daemon.Models(), request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request.set_library("openmpi-4.1");
  request.set_collective("transpose");
  EXPECT_EQ(Call(&ModelStub::ListDefaultChoices, daemon.Models(), request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

TEST(Models, UnknownFiltersAreNotFound) {
  Daemon daemon;
  v1::ListStrategiesResponse response;
  v1::ListStrategiesRequest request;
  request.set_collective("alltoalls");
  EXPECT_EQ(Call(&ModelStub::ListStrategies, daemon.Models(), request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
  request.set_collective("");
  request.set_library("openmpi-1.0");
  EXPECT_EQ(Call(&ModelStub::ListStrategies, daemon.Models(), request, &response).error_code(),
            grpc::StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace cox
