// Messages for people who debug the agent: one line each on stderr, only with COX_LOG; never on
// stdout. A line has at most 512 bytes; control characters become '?', because a daemon may choose
// a part of it. The streaming plugin has a copy of its own. Any thread, cannot fail, keeps errno.
#ifndef COX_AGENT_JOB_LOG_H_
#define COX_AGENT_JOB_LOG_H_

namespace cox::agent {

// Log writes only while the log is on (COX_LOG).
void SetLog(bool on);
void Log(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Writes in any case, for mistakes of the user.
void Warn(const char* format, ...) __attribute__((format(printf, 1, 2)));

}  // namespace cox::agent

#endif  // COX_AGENT_JOB_LOG_H_
