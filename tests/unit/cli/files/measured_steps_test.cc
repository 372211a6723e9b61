// The step of local work in what cox-bench suite wrote.
#include "cli/files/measured_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cox::cli {
namespace {

using ::testing::HasSubstr;

constexpr char kSuiteHeader[] =
    "program,kernel,variant,algorithm,ranks,size,degree,time_s,communication_s,work_s,exchange_s,"
    "exchanges,operations,model,compared_s,predicted_s,error\n";

// Of two models each. Steps of 2, 4 and 30 ns; an exchange has no kernel.
const std::string& Csv() {
  static const std::string kCsv =
      std::string(kSuiteHeader) +
      "matmul,matmul-3d,blocks,mpi,8,64,0,1,1,2e-6,0,0,1000,bsp,1,1,1\n"
      "matmul,matmul-3d,blocks,mpi,8,64,0,1,1,2e-6,0,0,1000,bpram,1,1,1\n"
      "matmul,matmul-3d?variant=words,words,mpi,8,64,0,1,1,4e-6,0,0,1000,bsp,1,1,1\n"
      "apsp,apsp-1,rows,mpi,4,64,0,1,1,3e-5,0,0,1000,bsp,1,1,1\n"
      "apsp,apsp-1,rows,mpi,4,128,0,1,1,0,0,0,1000,bsp,1,1,1\n"
      "pme,,,direct,8,64,0,1,1,5e-6,0,0,0,,,,\n";
  return kCsv;
}

TEST(MeasuredSteps, TakesTheMedianOfRunsWhateverModelsPricedThem) {
  const auto step = ReadMeasuredStep(Csv(), "");
  ASSERT_TRUE(step.ok()) << step.status();
  EXPECT_DOUBLE_EQ(step->step_s, 4e-9);
  EXPECT_NEAR(step->std_error_s, 1.4826 * 2e-9, 1e-15);
  EXPECT_EQ(step->runs, 3);
  EXPECT_EQ(step->kernels, "apsp-1, matmul-3d, matmul-3d?variant=words");
}

TEST(MeasuredSteps, OfOneKernelWithOrWithoutItsVariant) {
  EXPECT_DOUBLE_EQ(ReadMeasuredStep(Csv(), "matmul-3d")->step_s, 3e-9);
  const auto words = ReadMeasuredStep(Csv(), "matmul-3d?variant=words");
  EXPECT_DOUBLE_EQ(words->step_s, 4e-9);
  EXPECT_DOUBLE_EQ(words->std_error_s, 4e-9) << "one run says nothing about others";
}

TEST(MeasuredSteps, RefusesWhatIsNoSuiteFile) {
  const auto message = [](const std::string& csv, const char* kernel) {
    return std::string(ReadMeasuredStep(csv, kernel).status().message());
  };
  EXPECT_THAT(message("a,b\n1,2\n", ""), HasSubstr("has no column kernel"));
  EXPECT_THAT(message("", ""), HasSubstr("has no column kernel"));
  EXPECT_EQ(message(std::string(kSuiteHeader) + "matmul,matmul-3d,x\n", ""),
            "line 2 is not a row of `cox-bench suite -o`");
  EXPECT_EQ(message(Csv(), "bitonic-sort"), "has no run of bitonic-sort with local work");
  EXPECT_EQ(message(kSuiteHeader, ""), "has no kernel with local work");
}

}  // namespace
}  // namespace cox::cli
