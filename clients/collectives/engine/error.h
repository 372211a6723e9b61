// The text of a thread's last error, for cox_error(). Any thread.
#ifndef COX_COLLECTIVES_ENGINE_ERROR_H_
#define COX_COLLECTIVES_ENGINE_ERROR_H_

#include <mpi.h>

#include <exception>
#include <new>
#include <string>

namespace cox::collectives {

// Stores the text and returns the code, an MPI error class other than MPI_SUCCESS: `return
// Fail(...)`.
int Fail(int code, const std::string& text);

// The same for an MPI function's return value: returns the class of `code` and stores `function`
// with MPI's own text.
int FailMpi(int code, const char* function);

// The text, "" if there is none. Valid until the thread calls one of these functions again.
const std::string& ErrorText();
void ClearError();

// Runs the body of a C function. Clears the text first; lets no exception pass.
template <typename Body>
int Guarded(const Body& body) noexcept {
  try {
    ClearError();
    return body();
  } catch (const std::bad_alloc&) {
    return Fail(MPI_ERR_NO_MEM, "no memory");
  } catch (const std::exception& error) {
    return Fail(MPI_ERR_INTERN, error.what());
  }
}

}  // namespace cox::collectives

// Returns from the enclosing function if an MPI function fails.
#define COX_MPI(function, arguments)                               \
  do {                                                             \
    const int cox_mpi_code = function arguments;                   \
    if (cox_mpi_code != MPI_SUCCESS) {                             \
      return ::cox::collectives::FailMpi(cox_mpi_code, #function); \
    }                                                              \
  } while (false)

// Returns the expression's value unless it is MPI_SUCCESS.
#define COX_TRY(expression)                               \
  do {                                                    \
    const int cox_try_code = (expression);                \
    if (cox_try_code != MPI_SUCCESS) return cox_try_code; \
  } while (false)

#endif  // COX_COLLECTIVES_ENGINE_ERROR_H_
