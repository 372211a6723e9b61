// Open MPI's settings, found as the library finds them: the environment (where mpirun puts --mca),
// then the user's parameter file, then the system's. Read once; immutable afterwards, any thread.
#ifndef COX_AGENT_STREAM_MCA_PARAMETERS_H_
#define COX_AGENT_STREAM_MCA_PARAMETERS_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace cox::agent {

// A variable of the environment; null when it is not set.
using Environment = std::function<const char*(const char* name)>;

class McaParameters {
 public:
  explicit McaParameters(Environment environment);

  // The value of `name` ("coll_tuned_use_dynamic_rules"); "" when it is not set.
  std::string Get(const std::string& name) const;

  // Reads a switch as the library does; see library::IsOpenMpiSwitchOn.
  bool IsOn(const std::string& name) const;

 private:
  // Adds "name = value" lines; earlier files win.
  void AddFile(const std::string& path);

  Environment environment_;
  std::map<std::string, std::string> of_files_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_MCA_PARAMETERS_H_
