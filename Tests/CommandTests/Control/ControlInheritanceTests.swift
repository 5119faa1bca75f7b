import Foundation
import TestSupport
import Testing

/// What programs that the host starts, such as a compiler, must not inherit.
struct ControlInheritanceTests {
    /// A program that starts between `accept` and a later `fcntl` would keep the connection open.
    @Test func aConnection_isClosedInOtherPrograms_fromItsFirstMomentOn() throws {
        let preloaded = try TemporaryFolder()
        let library = try CCompiler().sharedObject(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <fcntl.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/socket.h>
            static int seen(int connection) {
                FILE *file = connection < 0 ? 0 : fopen(getenv("CONNECTIONS"), "a");
                if (file) {
                    fputs(fcntl(connection, F_GETFD) & FD_CLOEXEC ? "closed\\n" : "inherited\\n", file);
                    fclose(file);
                }
                return connection;
            }
            int accept4(int socket, struct sockaddr *address, socklen_t *size, int flags) {
                int (*next)(int, struct sockaddr *, socklen_t *, int) = dlsym(RTLD_NEXT, "accept4");
                return seen(next(socket, address, size, flags));
            }
            int accept(int socket, struct sockaddr *address, socklen_t *size) {
                int (*next)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "accept");
                return seen(next(socket, address, size));
            }
            """, in: preloaded, as: "connections.so")
        let host = try ControlledHost(environment: [
            "LD_PRELOAD": library, "CONNECTIONS": preloaded.url("connections").path,
        ])
        let client = try LineClient(host.socket)
        #expect(client.line()?.hasPrefix(#"{"spinhost":"#) == true)
        #expect(try String(contentsOf: preloaded.url("connections"), encoding: .utf8) == "closed\n")
        #expect(host.end().status == 0)
    }
}
