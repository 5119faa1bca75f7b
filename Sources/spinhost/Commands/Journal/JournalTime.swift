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

    /// The local day of a time.
    static func day(of nanoseconds: Int64) -> (year: Int64, month: Int64, day: Int64) {
        var seconds = time_t(nanoseconds.flooredQuotient(by: 1_000_000_000))
        var fields = unsafe tm()
        // Safe because both are borrowed for the call, and no field that is read points to memory.
        unsafe localtime_r(&seconds, &fields)
        return unsafe (Int64(fields.tm_year) + 1900, Int64(fields.tm_mon) + 1, Int64(fields.tm_mday))
    }

    /// The time of a local day, so many nanoseconds after midnight by the clock on the wall.
    static func instant(_ day: (year: Int64, month: Int64, day: Int64), _ time: Int64) -> Int64 {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        var fields = unsafe tm()
        // Safe because no field that is set points to memory.
        unsafe (fields.tm_year, fields.tm_mon) = (Int32(day.year - 1900), Int32(day.month - 1))
        unsafe (fields.tm_mday, fields.tm_hour) = (Int32(day.day), Int32(seconds / 3600))
        unsafe (fields.tm_min, fields.tm_sec) = (Int32(seconds / 60 % 60), Int32(seconds % 60))
        // The system knows whether it is summer time.
        unsafe fields.tm_isdst = -1
        return unsafe Int64(mktime(&fields)) * 1_000_000_000 + rest
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
