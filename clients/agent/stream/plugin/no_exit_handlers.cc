// The plugin's threads run until the process ends. They may still use what gRPC and the C++ library
// would destroy at exit. So the plugin destroys nothing at exit: this hidden function replaces the
// C library's within the plugin only. NOLINTNEXTLINE(bugprone-reserved-identifier): the C library
// names it
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
