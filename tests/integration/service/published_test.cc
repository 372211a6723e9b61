// The machines that come with the daemon: there on a fresh database, usable, and gone for good when
// deleted.
#include "service/published/published.h"

#include <set>
#include <string>

#include "daemon.h"
#include "gmock/gmock.h"

namespace cox {
namespace {

using ::testing::HasSubstr;

std::set<std::string> NamesOf(const Daemon& daemon) {
  using Stub = v1::MachineService::Stub;
  v1::ListMachinesResponse response;
  EXPECT_TRUE(
      Call(&Stub::ListMachines, daemon.Machines(), v1::ListMachinesRequest(), &response).ok());
  std::set<std::string> names;
  for (const v1::Machine& machine : response.machines()) {
    EXPECT_EQ(machine.provenance(), v1::PROVENANCE_PUBLISHED) << machine.name();
    names.insert(machine.name());
  }
  return names;
}

TEST(Published, MachinesAreThereOnAFreshDatabase) {
  Daemon daemon(daemon::ConfigValues{{"published-machines", "true"}});
  const std::set<std::string> names = NamesOf(daemon);
  EXPECT_EQ(names.size(), service::PublishedTexts().size());
  for (const char* name :
       {"intel-delta", "psc-lemieux", "paragon-64", "gcel-64", "t3e-8", "maspar-1024", "cm5-64",
        "ethernet-now-8", "fddi-now-8", "sp2-48", "paragon-72", "hku-cluster-16"}) {
    EXPECT_TRUE(names.contains(std::string("machines/") + name)) << name;
  }
}

TEST(Published, ADeletedMachineStaysDeleted) {
  Daemon daemon(daemon::ConfigValues{{"published-machines", "true"}});
  v1::DeleteMachineRequest request;
  request.set_name("machines/gcel-64");
  google::protobuf::Empty empty;
  ASSERT_TRUE(
      Call(&v1::MachineService::Stub::DeleteMachine, daemon.Machines(), request, &empty).ok());
  const size_t before = NamesOf(daemon).size();
  daemon.Stop();
  daemon.Start();
  EXPECT_EQ(NamesOf(daemon).size(), before);
  EXPECT_FALSE(NamesOf(daemon).contains("machines/gcel-64"));
}

// Everything that was published in full can be priced, under each model that has parameters.
TEST(Published, MachinesPriceAnAlltoall) {
  Daemon daemon(daemon::ConfigValues{{"published-machines", "true"}});
  for (const std::string& name : NamesOf(daemon)) {
    v1::PredictRequest request;
    request.set_machine(name);
    request.set_collective("alltoall");
    request.set_ranks(8);
    request.set_block_bytes(1000);
    request.set_model("all");
    v1::PredictResponse response;
    const grpc::Status status =
        Call(&v1::AdviceService::Stub::Predict, daemon.Advice(), request, &response);
    ASSERT_TRUE(status.ok()) << name << ": " << status.error_message();
    ASSERT_GT(response.predictions_size(), 0) << name;
    for (const v1::Prediction& prediction : response.predictions()) {
      EXPECT_GT(prediction.time_s(), 1e-6) << name << " " << prediction.model();
      EXPECT_LT(prediction.time_s(), 100) << name << " " << prediction.model();
    }
  }
}

TEST(Published, PiecesKeepTheirBordersAndUnits) {
  Daemon daemon(daemon::ConfigValues{{"published-machines", "true"}});
  v1::GetProfileRequest request;
  request.set_name("machines/gcel-64/profiles/-");
  v1::Profile profile;
  ASSERT_TRUE(
      Call(&v1::ProfileService::Stub::GetProfile, daemon.Profiles(), request, &profile).ok());
  std::map<double, double> gap;
  for (const v1::Parameter& parameter : profile.parameters()) {
    if (parameter.model() == "bsp" && parameter.name() == "g") {
      gap[parameter.above()] = parameter.value();
    }
  }
  // 172.7 us per word of 4 bytes up to 4500 words, none up to 7000, 118.5 us from there on.
  ASSERT_EQ(gap.size(), 3U);
  EXPECT_DOUBLE_EQ(gap[0], 172.7e-6 / 4);
  EXPECT_EQ(gap[18000], 0);
  EXPECT_DOUBLE_EQ(gap[27999], 118.5e-6 / 4);
}

TEST(Published, UnknownUnitsAreRefused) {
  EXPECT_EQ(service::ToSi(3, "us").value(), 3e-6);
  const auto unknown = service::ToSi(3, "furlong");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(unknown.status().message(), HasSubstr("furlong"));
}

}  // namespace
}  // namespace cox
