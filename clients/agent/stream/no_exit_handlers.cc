// The plugin's threads run until the process is gone. What its libraries (gRPC, the C++ library's
// own templates) would tear down at exit, those threads may still be using: so nothing of the
// plugin is torn down at exit. This hidden function takes the C library's place within the plugin
// only.
// NOLINTNEXTLINE(bugprone-reserved-identifier): the C library names it
extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) {
  return 0;
}
