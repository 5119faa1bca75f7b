/* spinhost/services/metrics.h: part of spinhost/plugin.h, which includes it. */
#include <spinhost/plugin.h>

#ifndef SPINHOST_SERVICES_METRICS_H
#define SPINHOST_SERVICES_METRICS_H

/* Numbers for the person who runs the app: counters, gauges and histograms, as Prometheus knows them.
 *
 * A plugin registers each metric once, usually in `create` or `start`, and keeps its number. It then changes
 * the metric by that number as often as it likes. The host keeps the metrics of a plugin until the app ends,
 * also when it swaps the plugin: the new version registers the same metrics and continues them.
 */
#define SPIN_METRICS_SERVICE "spin.metrics/1"

/* The limits. A name with other labels is another metric. */
#define SPIN_METRICS_AT_MOST 256      /* in a plugin */
#define SPIN_METRIC_NAME_AT_MOST 128  /* bytes, also of the name of a label */
#define SPIN_METRIC_HELP_AT_MOST 1024 /* bytes */
#define SPIN_METRIC_LABELS_AT_MOST 8
#define SPIN_METRIC_LABEL_AT_MOST 256 /* bytes of a label's value */
#define SPIN_METRIC_BOUNDS_AT_MOST 32

/* A metric; 0 means no metric. The plugin may keep the number for ever, and give it to the next version. */
typedef uint64_t spin_metric;

typedef struct spin_metrics_service {
    uint32_t size;
    uint32_t flags; /* 0 */

    /* Registers a metric, or finds the one that the plugin has registered with the same name and labels.
     *
     * A counter only grows, from 0. A gauge goes up and down, from 0. A histogram counts values by size: how
     * many are at most `bounds[0]`, at most `bounds[1]` and so on, how many there are, and their sum.
     * `bounds` are 1 to 32 finite numbers, each greater than the one before. NULL with 0 means bounds for
     * seconds: 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10.
     *
     * `name` has letters, digits and `_`, and no digit first. The name of a counter ends with `_total`, and
     * no other name does. Units are base units, and follow the name: `_seconds`, `_bytes`. Names that end
     * with `_bucket`, `_count` or `_sum`, or begin with `spinhost_` or `process_`, are the host's. `help` is
     * a sentence for people. The first one that is registered counts.
     *
     * `labels` has 2 * `label_count` texts: each label's name, then its value. They tell metrics of one name
     * apart, in any order: `direction` is `in` or `out`. Names are as above, each once in a metric, not
     * `plugin` or `le`, and do not begin with `__`. Values are any text. They must not come from outside,
     * such as the name of a user, because each value makes one more metric.
     *
     * All texts are NUL-terminated UTF-8. All pointers are borrowed until this returns.
     *
     * Returns 0 when the plugin gets no metric, and the host logs the reason. Something above does not hold,
     * or the plugin has SPIN_METRICS_AT_MOST metrics. Or the name has another kind or other bounds already, in
     * any plugin.
     * [any] */
    spin_metric (*counter)(const spin_host *host, const char *name, const char *help,
                           const char *const *labels, size_t label_count);
    spin_metric (*gauge)(const spin_host *host, const char *name, const char *help, const char *const *labels,
                         size_t label_count);
    spin_metric (*histogram)(const spin_host *host, const char *name, const char *help,
                             const char *const *labels, size_t label_count, const double *bounds,
                             size_t bound_count);

    /* Adds `amount` to a counter or a gauge: finite, and not negative for a counter.
     *
     * This and the next two functions change the metric by atomic operations. They take no lock, so they are
     * cheap enough for each call of an effect, and changes of several threads add up. They return
     * SPIN_BAD_VALUE and change nothing when there is no metric of that number, when it is of another kind,
     * and for an invalid value. The host logs that, except for the number 0. So a plugin that got no metric
     * need not check it. All numbers are doubles, so a counter beyond 2^53 does not count single steps.
     * [any] */
    spin_status (*add)(const spin_host *host, spin_metric metric, double amount);

    /* Sets a gauge to any value, also to infinity or NaN.
     * [any] */
    spin_status (*set)(const spin_host *host, spin_metric metric, double value);

    /* Adds a finite value to a histogram.
     * [any] */
    spin_status (*observe)(const spin_host *host, spin_metric metric, double value);
} spin_metrics_service;

SPIN_FINDER(metrics, SPIN_METRICS_SERVICE)

/* Registers a counter: its number, or 0; see spin_metrics_service.
 * [any] */
SPIN_INLINE spin_metric spin_register_counter(const char *name, const char *help, const char *const *labels,
                                              size_t label_count) {
    const spin_metrics_service *service = spin_find_metrics();
    return service ? service->counter(spin_current_host(), name, help, labels, label_count) : 0;
}

/* Registers a gauge: its number, or 0; see spin_metrics_service.
 * [any] */
SPIN_INLINE spin_metric spin_register_gauge(const char *name, const char *help, const char *const *labels,
                                            size_t label_count) {
    const spin_metrics_service *service = spin_find_metrics();
    return service ? service->gauge(spin_current_host(), name, help, labels, label_count) : 0;
}

/* Registers a histogram: its number, or 0; see spin_metrics_service.
 * [any] */
SPIN_INLINE spin_metric spin_register_histogram(const char *name, const char *help, const char *const *labels,
                                                size_t label_count, const double *bounds,
                                                size_t bound_count) {
    const spin_metrics_service *service = spin_find_metrics();
    return service
               ? service->histogram(spin_current_host(), name, help, labels, label_count, bounds, bound_count)
               : 0;
}

/* spin_counter(name, help, label, value …) and spin_gauge(…) register with any number of labels:
 *
 *     self->received = spin_counter("serial_bytes_total", "Bytes of the line.", "direction", "in");
 *
 * spin_histogram(bounds, bound_count, name, help, label, value …) takes the bounds first.
 * [any] */
#define spin_counter(...)                                                                                    \
    __extension__({                                                                                          \
        SPIN_METRIC_TEXTS(__VA_ARGS__);                                                                      \
        spin_register_counter(spin_texts[0], spin_texts[1], spin_texts + 2, spin_label_count);               \
    })
#define spin_gauge(...)                                                                                      \
    __extension__({                                                                                          \
        SPIN_METRIC_TEXTS(__VA_ARGS__);                                                                      \
        spin_register_gauge(spin_texts[0], spin_texts[1], spin_texts + 2, spin_label_count);                 \
    })
#define spin_histogram(bounds, bound_count, ...)                                                             \
    __extension__({                                                                                          \
        SPIN_METRIC_TEXTS(__VA_ARGS__);                                                                      \
        spin_register_histogram(spin_texts[0], spin_texts[1], spin_texts + 2, spin_label_count, bounds,      \
                                bound_count);                                                                \
    })
#define SPIN_METRIC_TEXTS(...)                                                                               \
    const char *const spin_texts[] = {__VA_ARGS__};                                                          \
    enum { spin_text_count = sizeof spin_texts / sizeof spin_texts[0] };                                     \
    SPIN_STATIC_ASSERT(spin_text_count >= 2 && spin_text_count % 2 == 0,                                     \
                       "write a name, a help, then pairs of a label and its value");                         \
    const size_t spin_label_count = spin_text_count / 2 - 1

/* Adds `amount` to a counter or a gauge; see spin_metrics_service.
 * [any] */
SPIN_INLINE spin_status spin_metric_add(spin_metric metric, double amount) {
    const spin_metrics_service *service = spin_find_metrics();
    return service ? service->add(spin_current_host(), metric, amount) : SPIN_WITHOUT_SERVICE;
}

/* Sets a gauge; see spin_metrics_service.
 * [any] */
SPIN_INLINE spin_status spin_metric_set(spin_metric metric, double value) {
    const spin_metrics_service *service = spin_find_metrics();
    return service ? service->set(spin_current_host(), metric, value) : SPIN_WITHOUT_SERVICE;
}

/* Adds a value to a histogram; see spin_metrics_service.
 * [any] */
SPIN_INLINE spin_status spin_metric_observe(spin_metric metric, double value) {
    const spin_metrics_service *service = spin_find_metrics();
    return service ? service->observe(spin_current_host(), metric, value) : SPIN_WITHOUT_SERVICE;
}

#endif /* SPINHOST_SERVICES_METRICS_H */
