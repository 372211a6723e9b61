/* Stands between MPICH and UCX: what this rank hands to UCX between two marks, in order. MPICH
   exports none of its algorithms' names, but each has a pattern of its own. One thread calls. */
#include "recorder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <ucp/api/ucp.h>

enum { kMaxBytes = 1 << 16 };

static char pattern[kMaxBytes];
static size_t used;
static int recording;

void recorder_start(void) {
  used = 0;
  pattern[0] = '\0';
  recording = 1;
}

const char* recorder_stop(void) {
  recording = 0;
  return pattern;
}

/* A contiguous type of UCX has its size above the class bits; of others only the count is known. */
static void record(char what, size_t count, const ucp_request_param_t* param, ucp_tag_t tag) {
  if (!recording || used + 64 > kMaxBytes) return;
  const int has_type = (param->op_attr_mask & UCP_OP_ATTR_FIELD_DATATYPE) != 0;
  const ucp_datatype_t type = has_type ? param->datatype : ucp_dt_make_contig(1);
  const int contiguous = (type & UCP_DATATYPE_CLASS_MASK) == UCP_DATATYPE_CONTIG;
  const size_t bytes = contiguous ? count * (size_t)(type >> UCP_DATATYPE_SHIFT) : count;
  used += (size_t)snprintf(pattern + used, kMaxBytes - used, "%c%zu%s@%llx ", what, bytes,
                           contiguous ? "" : "x", (unsigned long long)tag);
}

ucs_status_ptr_t ucp_tag_send_nbx(ucp_ep_h ep, const void* buffer, size_t count, ucp_tag_t tag,
                                  const ucp_request_param_t* param) {
  static ucs_status_ptr_t (*next)(ucp_ep_h, const void*, size_t, ucp_tag_t,
                                  const ucp_request_param_t*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_tag_send_nbx");
  record('s', count, param, tag);
  return next(ep, buffer, count, tag, param);
}

ucs_status_ptr_t ucp_tag_recv_nbx(ucp_worker_h worker, void* buffer, size_t count, ucp_tag_t tag,
                                  ucp_tag_t mask, const ucp_request_param_t* param) {
  static ucs_status_ptr_t (*next)(ucp_worker_h, void*, size_t, ucp_tag_t, ucp_tag_t,
                                  const ucp_request_param_t*);
  if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "ucp_tag_recv_nbx");
  record('r', count, param, tag & mask);
  return next(worker, buffer, count, tag, mask, param);
}
