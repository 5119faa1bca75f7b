#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The identity of the calling thread; never 0.
@usableFromInline
package func currentThread() -> UInt {
    // glibc has a number for a thread, the others have a pointer.
    #if canImport(Glibc)
        UInt(pthread_self())
    #else
        // Safe because the pointer is only a number here.
        unsafe UInt(bitPattern: pthread_self())
    #endif
}

/// The operating system, as this module uses it. No other file imports a C library, except `Lock` for the
/// thread sanitizer.
enum Platform {
    /// The closures of started threads that have not taken a closure yet.
    private static let threadBodies = Lock(FIFO<@Sendable () -> Void>())

    /// Starts a thread that calls `body` and ends.
    ///
    /// The lock is held until the closure is in its queue, so each new thread finds a closure. Any thread may
    /// take any closure. This passes closures without a raw pointer.
    /// - Returns: false when the system has no thread to give.
    static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        threadBodies.withLock { bodies in
            guard startThread() else { return false }
            bodies.append(body)
            return true
        }
    }

    private static func startThread() -> Bool {
        // glibc has a number for a thread, the others have a pointer.
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t? = nil
        #endif
        // Safe because the thread gets no argument and returns none.
        let failure = unsafe pthread_create(
            &thread, nil,
            { _ in
                Platform.runBody()
                return nil
            }, nil)
        guard failure == 0 else { return false }
        #if canImport(Glibc)
            pthread_detach(thread)
        #else
            // Safe because `pthread_create` has set it, and nobody else joins or detaches the thread.
            if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #endif
        return true
    }

    private static func runBody() {
        guard let body = threadBodies.withLock({ $0.popFirst() }) else { return }
        body()
    }

    /// The time of the clock that stands still while the machine sleeps. Its origin is about the last boot.
    static var monotonicNanoseconds: Int64 {
        #if canImport(Darwin)
            // On Darwin CLOCK_MONOTONIC continues while the machine sleeps.
            let clock = CLOCK_UPTIME_RAW
        #else
            let clock = CLOCK_MONOTONIC
        #endif
        var time = timespec()
        // Safe because the call writes only to the local variable.
        unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Stops the calling thread for a millisecond.
    static func pause() {
        while usleep(1000) != 0 {}
    }

    /// The processors that are switched on, at least 1.
    static var onlineProcessors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// The whole text of a file; nil when it cannot be read. For small files such as those below /proc.
    static func contents(of path: String) -> String? {
        // Safe because the path lives as long as the call.
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 4096)
        while true {
            // Safe because the call writes at most as many bytes as the array has.
            let count = unsafe read(file, &part, part.count)
            guard count >= 0 else { return nil }
            guard count > 0 else { return String(decoding: text, as: UTF8.self) }
            text += part[..<count]
        }
    }
}
