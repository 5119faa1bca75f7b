import CPluginABI

/// The host's services for a plugin, in a call of an effect and outside of one. All functions may be called
/// from any thread.
public enum Host {
    /// The level of a log line. A greater level is more serious.
    public struct LogLevel: RawRepresentable, Hashable, Sendable {
        /// The level's number in C. Values between the named ones are allowed.
        public let rawValue: Int32

        /// A level with any number.
        public init(rawValue: Int32) {
            self.rawValue = rawValue
        }

        /// Every detail.
        public static let trace = LogLevel(rawValue: SPIN_LOG_TRACE)
        /// Information for finding a fault.
        public static let debug = LogLevel(rawValue: SPIN_LOG_DEBUG)
        /// Normal information.
        public static let info = LogLevel(rawValue: SPIN_LOG_INFO)
        /// Something that may need attention.
        public static let warning = LogLevel(rawValue: SPIN_LOG_WARNING)
        /// Something failed.
        public static let error = LogLevel(rawValue: SPIN_LOG_ERROR)
    }

    /// Writes one line to the host's log, which adds plugin, version and call.
    ///
    /// ```swift
    /// Host.log("connected", ["host": .text(host), "port": 80], level: .debug, call: call)
    /// ```
    /// - Parameters:
    ///   - text: the line; it ends at the first NUL.
    ///   - fields: up to 32 fields of different names. A name is a letter a to z, then such letters, digits and
    ///     `_`, at most 64 bytes. A text has at most 64 KiB.
    ///   - level: its level.
    ///   - call: the call it belongs to, or nil outside of one.
    /// - Returns: `.badValue` when the host has left out fields that are not valid; `.unsupported` when it has no
    ///   log.
    @discardableResult
    public static func log(
        _ text: String, _ fields: KeyValuePairs<String, LogValue> = [:], level: LogLevel = .info,
        call: Call? = nil
    ) -> Status {
        // Safe because the host validates the token and copies text and fields before it returns.
        unsafe LogValue.withFields(fields) { fields in
            unsafe Status(
                rawValue: spin_log_fields(
                    call?.token, level.rawValue, text, fields.baseAddress, fields.count))
        }
    }

    /// Prints one line to the app's data output.
    ///
    /// - Parameter text: the line without a line end; it ends at the first NUL.
    /// - Returns: `.failed` when the host cannot write the output, `.unsupported` when it has none.
    @discardableResult
    public static func print(_ text: String) -> Status {
        // Safe because the host copies the text before it returns.
        Status(rawValue: unsafe spin_print(text))
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Calls `body` once, soon, on a thread of the host that it may block. The host waits for it before it
    /// destroys the plugin's instances. Up to 64 run side by side; others wait in order until one returns.
    ///
    /// - Returns: `.noMemory` when there is no thread, `.unsupported` when the host has no threads for
    ///   plugins. `body` is not called then.
    @discardableResult
    public static func work(_ body: @escaping @Sendable () -> Void) -> Status {
        // Safe because the host takes over the object; otherwise this function releases it.
        let work = unsafe Unmanaged.passRetained(Work(body))
        let status = unsafe spin_work(
            { argument in unsafe Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().body() },
            work.toOpaque())
        if status != SPIN_OK { unsafe work.release() }
        return Status(rawValue: status)
    }

    /// Nanoseconds of the host's monotonic clock since an arbitrary start; 0 without such a clock.
    public static var monotonicNanoseconds: Int64 {
        spin_monotonic()
    }

    /// Nanoseconds since 1970-01-01T00:00:00Z by the host's clock, which may jump; 0 without such a clock.
    public static var wallNanoseconds: Int64 {
        spin_wall()
    }
}
