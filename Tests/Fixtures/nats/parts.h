/* The parts of the test. */
#ifndef NATS_TEST_PARTS_H
#define NATS_TEST_PARTS_H

/* arguments.c */
void test_settings(void);
void test_arguments(void);

/* with-peer: connecting.c */
void test_silence(void);
void test_greetings(void);
void test_refusals(void);
void test_credentials(void);

/* keeping.c */
void test_servers(void);
void test_reasons(void);
void test_keep_alive(void);
void test_stops(void);

/* frames.c */
void test_frames(void);
void test_damage(void);
void test_room(void);
void test_large(void);
void test_many_headers(void);

/* kept.c */
void test_kept(void);
void test_kept_runs(void);
void test_kept_count(void);
void test_kept_many(void);

/* answers.c */
void test_answers(void);
void test_losses(void);
void test_permissions(void);

/* limits.c */
void test_limits(void);
void test_backlog(void);
void test_large_answer(void);

/* pulls.c, statuses.c */
void test_pulls(void);
void test_pull_statuses(void);
void test_pull_room(void);
void test_large_pulls(void);

/* with-server: real.c, streams.c, secure.c */
void test_real(void);
void test_streams(void);
void test_secure(void);

#endif
