import Glibc
import Records

/// Times of a journal as text.
enum JournalTime {
    /// The present time: nanoseconds since 1970-01-01T00:00:00Z.
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// `11:44:23.250`, in the local time zone.
    static func time(_ nanoseconds: Int64) -> String {
        let parts = local(nanoseconds)
        return "\(parts.time).\(digits(parts.milliseconds, 3))"
    }

    /// `2026-11-23 11:44:23`, in the local time zone.
    static func dateAndTime(_ nanoseconds: Int64) -> String {
        let parts = local(nanoseconds)
        return "\(parts.date) \(parts.time)"
    }

    /// `2026-11-23T11:44:23.25Z`
    static func universal(_ nanoseconds: Int64) -> String {
        TimeText.rfc3339(Timestamp(nanosecondsSinceEpoch: nanoseconds))
    }

    private static func local(_ nanoseconds: Int64) -> (date: String, time: String, milliseconds: Int) {
        let rest = ((nanoseconds % 1_000_000_000) + 1_000_000_000) % 1_000_000_000
        var seconds = time_t((nanoseconds - rest) / 1_000_000_000)
        var fields = unsafe tm()
        // Safe because both are borrowed for the call, and no field that is read points to memory.
        unsafe localtime_r(&seconds, &fields)
        let date = unsafe [fields.tm_year + 1900, fields.tm_mon + 1, fields.tm_mday]
        let time = unsafe [fields.tm_hour, fields.tm_min, fields.tm_sec]
        return (
            date.map { digits(Int($0), 2) }.joined(separator: "-"),
            time.map { digits(Int($0), 2) }.joined(separator: ":"), Int(rest / 1_000_000)
        )
    }

    /// A number with leading zeros.
    private static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}
