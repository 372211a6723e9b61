// What libcoxcoll promises besides results: errors, communicators that come and go, threads, the
// profile.
//
//   behaviour CHECK...    the names of kChecks; MPI_THREAD_MULTIPLE except for `single`
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cox/coll.h"
#include "job.h"

namespace cox::test {
namespace {

int rank = 0;
int ranks = 1;

void Expect(bool holds, const std::string& what) {
  if (!holds) Mismatch(what + " [" + cox_error() + "]");
}

void ExpectError(int code, int expected, const std::string& text) {
  const std::string said = cox_error();
  Expect(code == expected, "error class " + std::to_string(code) + ", not " +
                               std::to_string(expected) + ", for: " + text);
  Expect(said.find(text) != std::string::npos, "\"" + said + "\" does not say: " + text);
}

// An exchange of one number with every rank by hypercube, so in several phases.
class Exchange {
 public:
  explicit Exchange(MPI_Comm comm, const char* algorithm = "hypercube") {
    int own = 0;
    MPI_Comm_rank(comm, &own);
    MPI_Comm_size(comm, &size_);
    own_ = own;
    sent_.resize(static_cast<size_t>(size_));
    received_.resize(sent_.size(), -1);
    for (int to = 0; to < size_; ++to) sent_[static_cast<size_t>(to)] = 1000 * own_ + to;
    const int code = cox_ialltoall(sent_.data(), 1, MPI_INT, received_.data(), 1, MPI_INT, comm,
                                   algorithm, &request_);
    Expect(code == MPI_SUCCESS, "starts");
  }

  void Wait() {
    Expect(cox_wait(&request_, nullptr) == MPI_SUCCESS, "waits");
    Expect(IsRight(), "numbers of the exchange");
  }
  bool IsRight() const {
    for (int from = 0; from < size_; ++from) {
      if (received_[static_cast<size_t>(from)] != 1000 * from + own_) return false;
    }
    return true;
  }
  std::string algorithm() const { return cox_request_algorithm(request_); }
  cox_request* request() { return &request_; }

 private:
  int own_ = 0;
  int size_ = 1;
  std::vector<int> sent_, received_;
  cox_request request_ = COX_REQUEST_NULL;
};

void CheckErrors() {
  int a[64] = {}, b[64] = {};
  std::vector<int> counts(static_cast<size_t>(ranks), 1), places(counts);
  cox_request request = COX_REQUEST_NULL;
  const auto alltoall = [&](int sent, int received, MPI_Datatype type, MPI_Comm comm,
                            const char* algorithm) {
    return cox_ialltoall(a, sent, MPI_INT, b, received, type, comm, algorithm, &request);
  };
  ExpectError(alltoall(-1, 1, MPI_INT, MPI_COMM_WORLD, nullptr), MPI_ERR_COUNT, "sendcount");
  ExpectError(alltoall(1, -2, MPI_INT, MPI_COMM_WORLD, nullptr), MPI_ERR_COUNT, "recvcount");
  ExpectError(alltoall(1, 1, MPI_DATATYPE_NULL, MPI_COMM_WORLD, nullptr), MPI_ERR_TYPE, "recvtype");
  ExpectError(alltoall(1, 2, MPI_INT, MPI_COMM_WORLD, nullptr), MPI_ERR_COUNT, "differ in bytes");
  ExpectError(alltoall(1, 1, MPI_INT, MPI_COMM_NULL, nullptr), MPI_ERR_COMM, "MPI_COMM_NULL");
  ExpectError(
      alltoall(1, 1, MPI_INT, MPI_COMM_WORLD, "mesh"), MPI_ERR_ARG,
      "algorithm: \"mesh\" is not one of direct, windowed, pairwise, bruck, mesh2d, grid3d, "
      "hypercube");
  ExpectError(alltoall(1, 1, MPI_INT, MPI_COMM_WORLD, "windowed?window=0"), MPI_ERR_ARG,
              "at least 1");
  ExpectError(cox_ialltoall(nullptr, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, nullptr, &request),
              MPI_ERR_BUFFER, "sendbuf");
  ExpectError(cox_ialltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_WORLD, nullptr, nullptr),
              MPI_ERR_ARG, "request");
  for (const void* sendbuf :
       {static_cast<const void*>(a), static_cast<const void*>(MPI_IN_PLACE)}) {
    ExpectError(cox_ialltoall(sendbuf, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, MPI_COMM_WORLD,
                              nullptr, &request),
                MPI_ERR_BUFFER, "recvbuf must not be MPI_IN_PLACE");
    ExpectError(
        cox_ialltoallv(sendbuf, counts.data(), places.data(), MPI_INT, MPI_IN_PLACE, counts.data(),
                       places.data(), MPI_INT, MPI_COMM_WORLD, nullptr, &request),
        MPI_ERR_BUFFER, "recvbuf must not be MPI_IN_PLACE");
  }
  ExpectError(cox_ibcast(MPI_IN_PLACE, 1, MPI_INT, 0, MPI_COMM_WORLD, nullptr, &request),
              MPI_ERR_BUFFER, "buffer must not be MPI_IN_PLACE");
  ExpectError(cox_ialltoallv(a, counts.data(), nullptr, MPI_INT, b, counts.data(), places.data(),
                             MPI_INT, MPI_COMM_WORLD, nullptr, &request),
              MPI_ERR_ARG, "sdispls");
  ExpectError(cox_ialltoallv(a, counts.data(), places.data(), MPI_INT, b, counts.data(),
                             places.data(), MPI_INT, MPI_COMM_WORLD, "bruck", &request),
              MPI_ERR_ARG, "\"bruck\" is not one of");
  counts[0] = -1;
  ExpectError(cox_ialltoallv(a, counts.data(), places.data(), MPI_INT, b, counts.data(),
                             places.data(), MPI_INT, MPI_COMM_WORLD, nullptr, &request),
              MPI_ERR_COUNT, "sendcounts");
  const cox_message far = {ranks, 4, a}, none = {0, 4, nullptr}, negative = {0, -4, a};
  ExpectError(cox_imany(&far, 1, MPI_COMM_WORLD, nullptr, &request), MPI_ERR_RANK,
              "messages[0].rank must be one of 0 to " + std::to_string(ranks - 1));
  ExpectError(cox_imany(&none, 1, MPI_COMM_WORLD, nullptr, &request), MPI_ERR_BUFFER,
              "messages[0].data");
  ExpectError(cox_imany(&negative, 1, MPI_COMM_WORLD, nullptr, &request), MPI_ERR_COUNT,
              "messages[0].bytes");
  ExpectError(cox_imany(nullptr, 1, MPI_COMM_WORLD, nullptr, &request), MPI_ERR_BUFFER, "messages");
  Expect(request == COX_REQUEST_NULL, "nothing has begun");

  MPI_Comm halves, across;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &halves);
  MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &across);
  ExpectError(alltoall(1, 1, MPI_INT, across, nullptr), MPI_ERR_COMM, "inter-communicator");
  MPI_Comm_free(&across);
  MPI_Comm_free(&halves);

  // A null request is complete; a request of another kind than many-to-many has no messages.
  int done = 0, count = 0;
  cox_message* received = nullptr;
  Expect(cox_test(&request, &done, nullptr) == MPI_SUCCESS && done == 1, "tests a null request");
  Expect(cox_wait(&request, nullptr) == MPI_SUCCESS, "waits for a null request");
  ExpectError(cox_wait_many(&request, &received, &count, nullptr), MPI_ERR_REQUEST, "many-to-many");
  Exchange exchange(MPI_COMM_WORLD);
  ExpectError(cox_wait_many(exchange.request(), &received, &count, nullptr), MPI_ERR_REQUEST,
              "many-to-many");
  exchange.Wait();
  Expect(*cox_error() == '\0', "no error is left");
}

// A message is larger than its buffer: all other ranks complete.
void CheckTruncation() {
  // MPICH calls this communicator's handler when many requests are tested at once.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::vector<int> sent(static_cast<size_t>(2 * ranks)), received(sent), places, one, two;
  for (int i = 0; i < ranks; ++i) {
    places.push_back(2 * i);
    one.push_back(1);
    two.push_back(2);
  }
  one[static_cast<size_t>(rank)] = 2;
  for (const char* algorithm : {"mesh2d", "direct"}) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    cox_request request;
    const int started = cox_ialltoallv(sent.data(), two.data(), places.data(), MPI_INT,
                                       received.data(), rank == 0 ? one.data() : two.data(),
                                       places.data(), MPI_INT, comm, algorithm, &request);
    Expect(started == MPI_SUCCESS, "starts");
    const int code = cox_wait(&request, nullptr);
    Expect(code == (rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS),
           std::string(algorithm) + ": truncation is told");
    Expect(rank != 0 || *cox_error() != '\0', "and what it was");
  }
}

// The even ones of eight numbers.
MPI_Datatype MakeEvenNumbers() {
  MPI_Datatype alternate, even;
  MPI_Type_vector(4, 1, 2, MPI_INT, &alternate);
  MPI_Type_create_resized(alternate, 0, 8 * sizeof(int), &even);
  MPI_Type_commit(&even);
  MPI_Type_free(&alternate);
  return even;
}

// Starts an operation with a type, frees the type, and makes others that get its handle or memory.
// Rank r sends the numbers 1000 r + i; `first(block)` is the first number that the rank receives in
// a block, -1 for none.
void CheckFreedTypeIn(
    const char* what,
    const std::function<int(int* sent, int* received, MPI_Datatype, cox_request*)>& start,
    const std::function<int(int block)>& first) {
  std::vector<int> sent(static_cast<size_t>(8 * ranks)), received(sent.size(), -1);
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = 1000 * rank + static_cast<int>(i);
  MPI_Datatype freed = MakeEvenNumbers();
  cox_request request = COX_REQUEST_NULL;
  Expect(start(sent.data(), received.data(), freed, &request) == MPI_SUCCESS, what);
  MPI_Type_free(&freed);
  MPI_Datatype others[8];
  for (MPI_Datatype& other : others) {
    MPI_Type_vector(2, 1, 3, MPI_DOUBLE, &other);
    MPI_Type_commit(&other);
  }
  Expect(cox_wait(&request, nullptr) == MPI_SUCCESS, what);
  for (MPI_Datatype& other : others) MPI_Type_free(&other);
  for (int block = 0; block < ranks; ++block) {
    for (int i = 0; i < 8; ++i) {
      const bool arrives = i % 2 == 0 && first(block) >= 0;
      Expect(received[8 * static_cast<size_t>(block) + static_cast<size_t>(i)] ==
                 (arrives ? first(block) + i : -1),
             std::string(what) + ": numbers of a type that is freed after the start");
    }
  }
}

// As with MPI, a program may free a type while operations use it.
void CheckFreedTypes() {
  const MPI_Comm world = MPI_COMM_WORLD;
  const auto from_all = [](int block) { return 1000 * block + 8 * rank; };
  for (const char* algorithm : {"direct", "pairwise", "bruck", "mesh2d"}) {
    CheckFreedTypeIn(
        algorithm,
        [&](int* sent, int* received, MPI_Datatype type, cox_request* request) {
          return cox_ialltoall(sent, 1, type, received, 1, type, world, algorithm, request);
        },
        from_all);
  }
  std::vector<int> ones(static_cast<size_t>(ranks), 1), places;
  for (int i = 0; i < ranks; ++i) places.push_back(i);
  for (const char* algorithm : {static_cast<const char*>(nullptr), "mesh2d"}) {
    CheckFreedTypeIn(
        "alltoallv",
        [&](int* sent, int* received, MPI_Datatype type, cox_request* request) {
          return cox_ialltoallv(sent, ones.data(), places.data(), type, received, ones.data(),
                                places.data(), type, world, algorithm, request);
        },
        from_all);
  }
  CheckFreedTypeIn(
      "scatter",
      [&](int* sent, int* received, MPI_Datatype type, cox_request* request) {
        return cox_iscatter(sent, 1, type, received, 1, type, 0, world, "binomial", request);
      },
      [](int block) { return block == 0 ? 8 * rank : -1; });
  CheckFreedTypeIn(
      "gather",
      [&](int* sent, int* received, MPI_Datatype type, cox_request* request) {
        return cox_igather(sent, 1, type, received, 1, type, 0, world, "binomial", request);
      },
      [](int block) { return rank == 0 ? 1000 * block : -1; });
  CheckFreedTypeIn(
      "bcast",
      [&](int* sent, int* received, MPI_Datatype type, cox_request* request) {
        return cox_ibcast(rank == 0 ? sent : received, 1, type, 0, world, "binomial", request);
      },
      [](int block) { return rank != 0 && block == 0 ? 0 : -1; });
}

// More communicators than an MPI library can have at once.
void CheckCommunicators() {
  for (int i = 0; i < 2500; ++i) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    Exchange exchange(comm, "direct");
    if (i % 2 == 0) {
      exchange.Wait();
      MPI_Comm_free(&comm);
    } else {  // The operation ends as if the communicator existed.
      MPI_Comm_free(&comm);
      exchange.Wait();
    }
  }
}

// The private communicator does not copy the program's attributes: a program may count its copies.
void CheckAttributes() {
  static int copies = 0;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(
      [](MPI_Comm, int, void*, void*, void*, int* flag) {
        ++copies;
        *flag = 0;
        return int{MPI_SUCCESS};
      },
      MPI_COMM_NULL_DELETE_FN, &key, nullptr);
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, nullptr);
  Exchange(comm).Wait();
  Expect(copies == 0, "the program's attributes are left alone");
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&key);
}

// Rank 1 sends to rank 0 only after it has its blocks, which pass through rank 0.
void CheckProgress() {
  for (int round = 0; round < 3; ++round) {
    Expect(cox_progress_start() == MPI_SUCCESS, "starts the thread");
    Expect(cox_progress_start() == MPI_SUCCESS, "starts it again");
    for (int i = 0; i < 20; ++i) {
      Exchange exchange(MPI_COMM_WORLD);
      if (rank == 0) {
        for (int other = 1; other < ranks; ++other) {
          MPI_Recv(nullptr, 0, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        exchange.Wait();
      } else {
        exchange.Wait();
        MPI_Send(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD);
      }
    }
    if (round < 2) Expect(cox_progress_stop() == MPI_SUCCESS, "ends the thread");
  }
  // MPI_Finalize ends the last thread.
}

void CheckThreads() {
  std::vector<MPI_Comm> comms(3);
  for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  std::vector<std::thread> threads;
  for (const MPI_Comm comm : comms) {
    threads.emplace_back([comm] {
      for (int i = 0; i < 50; ++i) Exchange(comm, i % 2 == 0 ? "mesh2d" : "direct").Wait();
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

// One rank sends, and all ranks choose by its last load: both routed and direct calls tell it to
// them. Two simultaneous calls also get their messages.
void CheckMany() {
  constexpr int kLarge = 1 << 20;
  const std::vector<char> data(kLarge, 'x');
  const struct {
    int64_t bytes;
    const char* algorithm;
  } calls[] = {{8, "mesh2d"}, {kLarge, "mesh2d"}, {kLarge, "direct"}, {8, "direct"}, {8, "mesh2d"}};
  const int count = rank == 0 ? 1 : 0;
  for (const auto& call : calls) {
    const cox_message message = {1, call.bytes, data.data()};
    cox_request request;
    Expect(cox_imany(&message, count, MPI_COMM_WORLD, nullptr, &request) == MPI_SUCCESS, "starts");
    int done = 0;
    while (done == 0) cox_test(&request, &done, nullptr);
    const std::string algorithm = cox_request_algorithm(request);
    Expect(algorithm == call.algorithm, algorithm + ", not " + call.algorithm);
    cox_message* received = nullptr;
    int arrived = 0;
    Expect(cox_wait_many(&request, &received, &arrived, nullptr) == MPI_SUCCESS, "waits");
    Expect(arrived == (rank == 1 ? 1 : 0), "messages");
    Expect(rank != 1 || (received[0].rank == 0 && received[0].bytes == call.bytes), "of rank 0");
    cox_free(received);
  }
  const cox_message message = {1, 8, data.data()};
  cox_request requests[3];
  for (cox_request& request : requests) {
    cox_imany(&message, count, MPI_COMM_WORLD, nullptr, &request);
  }
  for (int i = 2; i >= 0; --i) {
    cox_message* received = nullptr;
    int arrived = 0;
    Expect(cox_wait_many(&requests[i], &received, &arrived, nullptr) == MPI_SUCCESS, "the last");
    Expect(arrived == (rank == 1 ? 1 : 0), "messages of those under way");
    cox_free(received);
  }
}

void CheckSingle() {
  ExpectError(cox_progress_start(), MPI_ERR_OTHER, "MPI_THREAD_MULTIPLE");
  Exchange(MPI_COMM_WORLD).Wait();
}

void CheckCost() {
  cox_cost cost = {-1, -1};
  Exchange exchange(MPI_COMM_WORLD);
  int done = 0;
  while (done == 0) cox_test(exchange.request(), &done, &cost);
  Expect(exchange.IsRight(), "the exchange");
  Expect(cost.completion_s > 0 && std::isfinite(cost.completion_s), "a completion time");
  Expect(cost.cpu_s > 0 && cost.cpu_s <= cost.completion_s * 1.5 + 1e-3, "a processor time");
}

// Prints rank 0's choice for 4 B and 1 MiB.
void PrintChoice() {
  constexpr int kLarge = 1 << 20;
  std::vector<char> sent(static_cast<size_t>(ranks) * kLarge), received(sent.size());
  for (const int bytes : {4, kLarge}) {
    cox_request request;
    const int code = cox_ialltoall(sent.data(), bytes, MPI_BYTE, received.data(), bytes, MPI_BYTE,
                                   MPI_COMM_WORLD, nullptr, &request);
    if (code != MPI_SUCCESS) {
      std::printf("rank %d error %s\n", rank, cox_error());
      continue;
    }
    if (rank == 0) std::printf("chosen %d %s\n", bytes, cox_request_algorithm(request));
    cox_wait(&request, nullptr);
  }
}

constexpr struct {
  const char* name;
  void (*run)();
} kChecks[] = {
    {"errors", CheckErrors},          {"truncation", CheckTruncation},
    {"freed_types", CheckFreedTypes}, {"communicators", CheckCommunicators},
    {"attributes", CheckAttributes},  {"progress", CheckProgress},
    {"threads", CheckThreads},        {"many", CheckMany},
    {"single", CheckSingle},          {"cost", CheckCost},
    {"choice", PrintChoice},
};

int Main(int argc, char** argv) {
  const bool is_single = argc > 1 && std::strcmp(argv[1], "single") == 0;
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, is_single ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int run = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& check : kChecks) {
      if (std::strcmp(argv[i], check.name) != 0) continue;
      check.run();
      ++run;
    }
  }
  if (rank == 0) std::printf("%d checks passed\n", run);
  MPI_Finalize();
  return 0;
}

}  // namespace
}  // namespace cox::test

int main(int argc, char** argv) { return cox::test::Main(argc, argv); }
