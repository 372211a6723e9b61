// A machine as `cox calibrate` leaves it: parameters of every model, in pieces where its messages
// change their protocol.
#ifndef COX_TESTS_BENCH_CALIBRATED_MACHINE_H_
#define COX_TESTS_BENCH_CALIBRATED_MACHINE_H_

#include "domain/profile.h"
#include "model/profile.h"

namespace cox::bench {

// Fitted to samples of all kinds at both levels, like the profile of a calibration. Ends the
// program with a message if the profile lacks a price under a refined model, several pieces of
// alpha and beta at both levels, or c3's times.
domain::Profile CalibratedProfile();

}  // namespace cox::bench

#endif  // COX_TESTS_BENCH_CALIBRATED_MACHINE_H_
