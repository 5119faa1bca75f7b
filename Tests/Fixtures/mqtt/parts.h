/* The parts of the test, each with a client of its own for the broker of the test. */
#ifndef MQTT_TEST_PARTS_H
#define MQTT_TEST_PARTS_H

/* incoming.c */
void test_subscriptions(int listener);
void test_room(int listener);
void test_cancelled(int listener);
void test_cancelled_session(int listener);

/* publishing.c */
void test_publish(int listener);
void test_waiting(int listener);

/* session.c */
void test_session(int listener);
void test_taken_messages(int listener);
void test_lost_session(int listener);
void test_half_messages(int listener);
void test_kept_messages(int listener);

#endif
