// The models, each an immutable object that lives as long as the process. Code outside this folder
// uses Models() and FindModel() of model/model.h.
#ifndef COX_MODEL_MODELS_MODELS_H_
#define COX_MODEL_MODELS_MODELS_H_

#include <cstdint>

#include "model/model.h"
#include "topology/window_rule.h"

namespace cox::model {

// T = n alpha + x beta for the busiest rank's n messages and x bytes of a phase. alpha_cpu and
// beta_cpu give the processor's time in the same way.
// R. W. Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
// Computing 20 (1994), Eq. (1), with alpha = t_0 and beta = 1 / r_inf. Processor time: L. V. Kale,
// S. Kumar, K. Varadarajan, "A framework for collective personalized communication", 2003, section
// 2.1.
const Model& Hockney();

// Hockney with a limit of the node: T = n alpha + max(x / R_C, X / R_N), X the bytes of the whole
// node, R_N its injection rate.
// W. Gropp, L. Olson, P. Samfass, "Modeling MPI communication performance on SMP nodes: is it time
// to retire the ping pong test", EuroMPI 2016, Eq. (2): T = alpha + k n / min(R_N, k R_C).
const Model& MaxRate();

// LogP: T = L + o (sent + received) + gaps, in messages of w bytes.
// D. Culler et al., "LogP: towards a realistic model of parallel computation", PPoPP 1993.
const Model& LogP();

// LogGP: T = L + o (n_s + n_r) + gaps + G x.
// A. Alexandrov, M. Ionescu, K. Schauser, C. Scheiman, "LogGP: incorporating long messages into the
// LogP model", SPAA 1995, section 2.
const Model& LogGp();

// Postal: T = lambda + (k - 1) g for the busiest rank's k packets.
// A. T. C. Tam, C.-L. Wang, "Realistic communication model for parallel computing on cluster",
// 1999, Eq. (1).
const Model& Postal();

// BSP: T = g h + L; E-BSP: T = max(g V / p, g' h) + L; MP-BSP: T = L + g h in each step of one word
// per rank; MP-E-BSP: T = T_unb(senders) in each step; BPRAM: T = sigma m + ell in each
// permutation, on single ports with the bytes of both directions. B. H. H. Juurlink, H. A. G.
// Wijshoff, "A quantitative comparison of parallel computation models", ACM TOCS 16(3), 1998,
// sections 2 and 3.
const Model& Bsp();
const Model& EBsp();
const Model& MpBsp();
const Model& MpEBsp();
const Model& Bpram();
const Model& SinglePortBpram();

// C3: U = max_i (S_i + R_i) + C_l + C_p + U_comp units.
// S. E. Hambrusch, A. A. Khokhar, "C3: an architecture-independent model for coarse-grained
// parallel machines", section 2.
const Model& C3();

// T(x; a, b) = a^2 / (a + b x) + b x, several messages of a phase combined by rule 3, the ends and
// a channel that all share by rule 1.
// I. Stoica, F. Sultan, D. Keyes, "Evaluating the hyperbolic model on a variety of architectures",
// 1996, Eq. (2), rules 1 and 3.
const Model& Hyperbolic();

// The cluster model: T = O_s + L(m, p) + O_r + U_r for a packet of m bytes, and for each further
// one the slowest of g_s, g_r and the processor. A. T. C. Tam, C.-L. Wang, "Realistic communication
// model for parallel computing on cluster", 1999, sections 2 to 5.
const Model& Cluster();

// The window of a gather of block_bytes (>= 0) from each of `senders` (>= 0) ranks: Eqs. (5) to (7)
// with the values of Cluster(). All senders without a stated buffer.
topology::GatherWindow ClusterWindow(const Values& values, int64_t senders, int64_t block_bytes);

}  // namespace cox::model

#endif  // COX_MODEL_MODELS_MODELS_H_
