// Open MPI's settings as the library itself finds them: the environment (where mpirun puts --mca
// too), then the user's parameter file, then the system's. Read once; immutable afterwards, any
// thread.
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

  // "" when it is not set anywhere. `name` as in "coll_tuned_use_dynamic_rules".
  std::string Get(const std::string& name) const;

  // As the library reads a switch; see library::IsOpenMpiSwitchOn.
  bool IsOn(const std::string& name) const;

 private:
  // "name = value" lines; what is there already stays: earlier files win.
  void AddFile(const std::string& path);

  Environment environment_;
  std::map<std::string, std::string> of_files_;
};

}  // namespace cox::agent

#endif  // COX_AGENT_STREAM_MCA_PARAMETERS_H_
