// The part of the test that is about TLS.
#ifndef SERVE_TLS_TEST_H
#define SERVE_TLS_TEST_H

void test_tls(void);

#endif
