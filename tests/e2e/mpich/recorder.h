/* What a rank hands to UCX between two marks. */
#ifndef COX_TESTS_E2E_MPICH_RECORDER_H_
#define COX_TESTS_E2E_MPICH_RECORDER_H_

void recorder_start(void);

/* The messages since the start: "s16@TAG " for a send of 16 bytes, "r16@TAG " for a receive. */
const char* recorder_stop(void);

#endif
