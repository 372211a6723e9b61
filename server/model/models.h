// The models there are, each an immutable object that lives as long as the process. Callers outside
// this folder go through Models() and FindModel() of model/model.h.
#ifndef COX_MODEL_MODELS_H_
#define COX_MODEL_MODELS_H_

#include "model/model.h"

namespace cox::model {

// T = n alpha + x beta for the busiest rank's n messages and x bytes of a phase.
// R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
// Computing 20 (1994), Eq. (1), with alpha = t_0 and beta = 1 / r_inf.
const Model& Hockney();

// Hockney, where the ranks of a node share its injection rate: T = n alpha + max(x / R_C, X / R_N),
// X the bytes of the whole node.
// W. Gropp, L. Olson, P. Samfass, "Modeling MPI communication performance on SMP nodes: is it time
// to retire the ping pong test", EuroMPI 2016, Eq. (2): T = alpha + k n / min(R_N, k R_C).
const Model& MaxRate();

// LogGP: T = L + o (n_s + n_r) + gaps + G x.
// A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP: incorporating long messages into the
// LogP model", SPAA 1995, section 2.
const Model& LogGp();

// T(x; a, b) = a^2 / (a + b x) + b x, several messages of a phase combined by rule 3.
// I. Stoica, F. Sultan, D. Keyes, "Evaluating the hyperbolic model on a variety of architectures",
// 1996, Eq. (2) and rule 3.
const Model& Hyperbolic();

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_H_
