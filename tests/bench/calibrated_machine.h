// A machine as `cox calibrate` leaves it: parameters of every model, in pieces where its messages
// change their protocol.
#ifndef COX_TESTS_BENCH_CALIBRATED_MACHINE_H_
#define COX_TESTS_BENCH_CALIBRATED_MACHINE_H_

#include "domain/profile.h"
#include "model/profile.h"

namespace cox::bench {

// Fitted, as a calibration's are, to samples of all kinds at both levels. Ends the program with a
// message if those do not show what they are made to show: a price under every model that is
// refined, several pieces of alpha and beta at both levels, c3's times.
domain::Profile CalibratedProfile();

}  // namespace cox::bench

#endif  // COX_TESTS_BENCH_CALIBRATED_MACHINE_H_
