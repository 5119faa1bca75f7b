// A plugin whose instances throw C++ exceptions, which must not leave a plugin.
#include <spinhost/plugin.h>
#include <stdexcept>

SPIN_PLUGIN("thrower", "1.0.0");

struct spin_self {
    int32_t unused;
};

static spin_self *create(spin_call *, const spin_config *) { return new spin_self(); }

static void destroy(spin_self *self) {
    delete self;
    throw std::runtime_error("no end");
}
SPIN_INSTANCE(create, destroy);

static spin_status start(spin_call *, spin_self *) { throw std::runtime_error("no start"); }

static void stop(spin_self *) { throw 7; }
SPIN_LIFE(start, stop);

static void use(spin_self *) {}
SPIN_EFFECT(void, use, (spin_self *), "");
