import Glibc

/// What a worker has of its surroundings.
package enum StandardPlace {
    /// Nanoseconds since the Unix epoch.
    package static var wallTime: Int64 {
        var time = timespec()
        // Safe because the call only writes the local it is given.
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Writes a line to the standard error output, which the host reads.
    static func complain(_ text: String) {
        var line = "spinhost: \(text)\n"
        line.withUTF8 { bytes in
            // Safe because the bytes are borrowed for the call.
            _ = unsafe write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        }
    }
}
