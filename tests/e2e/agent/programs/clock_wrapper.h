/* The floor of a timing wrapper: reads the clock before and after the call and does nothing else.
 * In a shared library of its own, as a preloaded wrapper is. */
#ifndef COX_TESTS_CLOCK_WRAPPER_H_
#define COX_TESTS_CLOCK_WRAPPER_H_

#include <mpi.h>
#include <stdint.h>

uint64_t clock_ns(void);
int clock_allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                    MPI_Comm comm);

#endif /* COX_TESTS_CLOCK_WRAPPER_H_ */
