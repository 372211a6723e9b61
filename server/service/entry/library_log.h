// Messages of gRPC and Protocol Buffers in the daemon's log.
#ifndef COX_SERVICE_ENTRY_LIBRARY_LOG_H_
#define COX_SERVICE_ENTRY_LIBRARY_LOG_H_

namespace cox::service {

// From now on messages of both libraries are lines of the daemon's log, at most ten of each in ten
// seconds: clients can cause them with malformed requests. For the whole process; call it once,
// before the server starts.
void TakeLibraryLogs();

}  // namespace cox::service

#endif  // COX_SERVICE_ENTRY_LIBRARY_LOG_H_
