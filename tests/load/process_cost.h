// What a process has used so far, from /proc. Any thread.
#ifndef COX_TESTS_LOAD_PROCESS_COST_H_
#define COX_TESTS_LOAD_PROCESS_COST_H_

#include <sys/types.h>

#include <cstdint>

namespace cox::load {

// Memory that is in RAM now; 0 if there is no such process.
int64_t ResidentBytes(pid_t pid);

// The most memory that it ever had in RAM; 0 if there is no such process.
int64_t MostResidentBytes(pid_t pid);

// Threads, and open descriptors; 0 if there is no such process or it is another user's.
int ThreadCount(pid_t pid);
int DescriptorCount(pid_t pid);

// Time on processors, of all threads, in user and system mode; 0 if there is no such process.
double ProcessorTime_s(pid_t pid);

}  // namespace cox::load

#endif  // COX_TESTS_LOAD_PROCESS_COST_H_
