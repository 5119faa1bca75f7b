import Glibc

/// Ends the program when its standard input ends. The host has the other end, so the program never outlives it.
enum ParentWatch {
    static func start() {
        var thread = pthread_t()
        // Safe because the thread gets nothing and is never joined.
        unsafe _ = pthread_create(
            &thread, nil,
            { _ in
                var byte: UInt8 = 0
                while true {
                    // Safe because the call gets the size of the local.
                    let count = unsafe read(STDIN_FILENO, &byte, 1)
                    if count == 0 || count < 0 && errno != EINTR { break }
                }
                kill(getpid(), SIGTERM)
                return nil
            }, nil)
    }
}
