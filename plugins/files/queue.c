#include "queue.h"
#include "instance.h"
#include "job.h"
#include "../common/instance/create.h"
#include <errno.h>

int queue_init(struct queue *queue) {
    queue->last = &queue->first;
    return create_lock(&queue->turn, &queue->is_empty);
}

void queue_free(struct queue *queue) {
    pthread_cond_destroy(&queue->is_empty);
    pthread_mutex_destroy(&queue->turn);
}

// The next job; NULL ends the service.
static struct job *next_job(struct queue *queue) {
    pthread_mutex_lock(&queue->turn);
    struct job *job = queue->first;
    if (job) {
        queue->first = job->next;
        if (!queue->first)
            queue->last = &queue->first;
    } else {
        queue->is_running = 0;
        pthread_cond_broadcast(&queue->is_empty);
    }
    pthread_mutex_unlock(&queue->turn);
    return job;
}

static void run(void *context) {
    spin_self *self = context;
    for (struct job *job; (job = next_job(&self->queue));) {
        if (!spin_cancelled(job->call))
            job_run(job);
        job_free(job);
    }
}

void queue_add(spin_self *self, struct job *job) {
    struct queue *queue = &self->queue;
    pthread_mutex_lock(&queue->turn);
    int is_running = queue->is_running;
    queue->is_running = 1;
    *queue->last = job;
    queue->last = &job->next;
    pthread_mutex_unlock(&queue->turn);
    if (is_running || spin_work(run, self) == SPIN_OK)
        return;
    const struct problem problem = {EAGAIN, "the host has no thread for it"};
    while ((job = next_job(queue))) {
        job_fail(job, &problem);
        job_free(job);
    }
}

void queue_finish(struct queue *queue) {
    pthread_mutex_lock(&queue->turn);
    while (queue->is_running)
        pthread_cond_wait(&queue->is_empty, &queue->turn);
    pthread_mutex_unlock(&queue->turn);
}
