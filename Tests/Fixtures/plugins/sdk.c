// Makes events of an SDK's callbacks: `void (*)(void *user, …)`, called on a thread of the SDK.
#include <pthread.h>
#include <spinhost/plugin.h>
#include <stdlib.h>

// ---- The SDK, as a vendor may have made it. Its own thread reports readings until it is closed.

typedef void (*sdk_handler)(void *user, int32_t channel, double value);

struct sdk_device {
    pthread_t thread;
    pthread_mutex_t mutex;
    sdk_handler handler;
    void *user;
    int32_t channel;
    int is_closed;
};

static void *sdk_run(void *argument) {
    struct sdk_device *device = argument;
    double value = 0;
    pthread_mutex_lock(&device->mutex);
    while (!device->is_closed) {
        if (device->handler)
            device->handler(device->user, device->channel, value += 0.5);
        pthread_mutex_unlock(&device->mutex);
        sched_yield();
        pthread_mutex_lock(&device->mutex);
    }
    pthread_mutex_unlock(&device->mutex);
    return NULL;
}

static struct sdk_device *sdk_open(void) {
    struct sdk_device *device = calloc(1, sizeof *device);
    pthread_mutex_init(&device->mutex, NULL);
    if (pthread_create(&device->thread, NULL, sdk_run, device) == 0)
        return device;
    free(device);
    return NULL;
}

// When this has returned, the handler before has returned, and is not called again. NULL for no handler.
static void sdk_set_handler(struct sdk_device *device, sdk_handler handler, void *user, int32_t channel) {
    pthread_mutex_lock(&device->mutex);
    device->handler = handler;
    device->user = user;
    device->channel = channel;
    pthread_mutex_unlock(&device->mutex);
}

static void sdk_close(struct sdk_device *device) {
    pthread_mutex_lock(&device->mutex);
    device->is_closed = 1;
    pthread_mutex_unlock(&device->mutex);
    pthread_join(device->thread, NULL);
    pthread_mutex_destroy(&device->mutex);
    free(device);
}

// ---- The plugin.

SPIN_PLUGIN("sdk", "1.0.0");
SPIN_EMITTER(measured, (int32_t, channel), (double, value));

struct spin_self {
    struct sdk_device *device;
};

static spin_self *create(spin_call *call, const spin_config *config) {
    (void)call, (void)config;
    return calloc(1, sizeof(spin_self));
}

static void destroy(spin_self *self) { free(self); }
SPIN_INSTANCE(create, destroy);

// The device's thread lives between `start` and `stop`.
static spin_status start(spin_call *call, spin_self *self) {
    self->device = sdk_open();
    return self->device ? SPIN_OK : spin_fail(call, SPIN_FAILED, "there is no device");
}

static void stop(spin_self *self) { sdk_close(self->device); }
SPIN_LIFE(start, stop);

// The handler needs only the token: it is a number that may outlive the call, and an emission never waits.
static void handle(void *user, int32_t channel, double value) { measured(user, channel, value); }

// The host calls this when the call is cancelled. The next `watch` sets a handler of its own.
static void forget(void *context) { sdk_set_handler(context, NULL, NULL, 0); }

static void watch(spin_call *call, spin_self *self, int32_t channel) {
    sdk_set_handler(self->device, handle, call, channel);
    // The call was cancelled meanwhile: the host will not call `forget`.
    if (spin_on_cancel(call, forget, self->device) != SPIN_OK)
        forget(self->device);
}
SPIN_EFFECT(void, watch, (spin_call *call, spin_self *self, int32_t channel),
            "Emits `measured` for each reading of `channel`, until it is cancelled.");
