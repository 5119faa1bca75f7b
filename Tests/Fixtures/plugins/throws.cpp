// C++ exceptions that leave a plugin's functions.
#include <stdexcept>
#include <stdint.h>

extern "C" int32_t throw_text(const char *text) { throw std::runtime_error(text); }
extern "C" int32_t throw_number(int32_t number) { throw number; }
extern "C" void throw_release(void *) { throw std::logic_error("cannot free"); }
extern "C" const char *some_text(void) { return "text"; }
