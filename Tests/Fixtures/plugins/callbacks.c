// A plain C library that calls back: at once, on other threads, after the call, and with bad values.
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int (*each)(int n);

// Calls it for 1 to `count`, and returns the sum of the answers.
int sum(each answer, int count) {
    int total = 0;
    for (int n = 1; n <= count; n++) {
        total += answer(n);
    }
    return total;
}

// Stops at the first answer that is not 0, and returns it.
int until(each answer, int count) {
    for (int n = 1; n <= count; n++) {
        const int result = answer(n);
        if (result != 0) {
            return result;
        }
    }
    return 0;
}

// Calls it from frames within each other.
int nested(each answer, int depth) { return depth == 0 ? 0 : answer(depth) + nested(answer, depth - 1); }

struct task {
    each answer;
    int n, result;
    pthread_t thread;
};

static void *run(void *argument) {
    struct task *task = argument;
    for (int i = 0; i < 1000; i++) {
        task->result += task->answer(task->n);
    }
    return NULL;
}

// Calls it 1000 times on each of `count` threads at once, at most 8, and returns the sum of the answers.
int on_threads(each answer, int count) {
    struct task tasks[8] = {{0}};
    int total = 0;
    for (int i = 0; i < count; i++) {
        tasks[i] = (struct task){.answer = answer, .n = i + 1};
        pthread_create(&tasks[i].thread, NULL, run, &tasks[i]);
    }
    for (int i = 0; i < count; i++) {
        pthread_join(tasks[i].thread, NULL);
        total += tasks[i].result;
    }
    return total;
}

static each kept;

// Keeps the function for `call_kept`, and calls it once.
int keep(each answer, int n) {
    kept = answer;
    return answer(n);
}

int call_kept(int n) { return kept(n); }

each kept_function(void) { return kept; }

static void *call_kept_there(void *argument) {
    *(int *)argument = kept(*(int *)argument);
    return NULL;
}

int call_kept_on_thread(int n) {
    pthread_t thread;
    pthread_create(&thread, NULL, call_kept_there, &n);
    pthread_join(thread, NULL);
    return n;
}

// Which texts it gives: null, one that is not UTF-8, one that is.
int give_text(int (*text)(const char *text), int kind) {
    static const char *const texts[] = {NULL, "M\374hle", "mill"};
    return text(texts[kind]);
}

// Two texts, the second of them null, and their number.
int give_texts(int (*texts)(int count, char **texts), int count) {
    char *all[] = {"one", NULL, "three"};
    return texts(count, all);
}

struct point {
    int32_t x;
    double y;
};

// Each kind of a value, and a narrow result.
int8_t give_values(int8_t (*values)(int8_t a, uint16_t b, bool c, float d, double e, struct point f,
                                    const struct point *g, const double *h, int64_t count, const void *i)) {
    const struct point point = {4, 0.5};
    const double numbers[] = {1, 2, 3};
    return values(-1, 65535, true, 1.5F, 2.5, point, &point, numbers, 3, "by\0te");
}

float scale(float (*factor)(double x), double x) { return factor(x) * 2; }

uint64_t greatest(uint64_t (*number)(void)) { return number(); }

void *address(void *(*find)(void *context), void *context) { return find(context); }

void tell(void (*told)(const char *text), const char *text) { told(text); }

// The errno before and after a call must be equal.
int keeps_errno(each answer) {
    errno = 77;
    answer(1);
    return errno;
}

int sets_errno(int n) { return errno = n; }

// Crashes after it was answered.
int crash(each answer, int n) {
    const int result = answer(n);
    *(volatile int *)(intptr_t)(result - result) = n;
    return result;
}

// Gives a pointer that cannot be read.
int give_wild(int (*number)(const int32_t *number)) { return number((const int32_t *)16); }
