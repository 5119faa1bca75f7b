import Glibc

/// The service manager that started the host, and hears of its state in datagrams, such as systemd (sd_notify(3)).
struct ServiceManager: Sendable {
    /// The manager's socket.
    let socket: String
    /// The time within which the manager wants to hear from the host again and again; nil if it does not.
    let watchdog: Duration?

    /// The manager that the environment names; nil without one.
    ///
    /// The first use removes the variables, so that no plugin and no other program speaks for the host. It must come
    /// before the program starts threads.
    static let present: ServiceManager? = {
        let names = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
        var values: [String: String] = [:]
        for name in names {
            // Safe because no other thread uses the environment yet, and the text is copied.
            values[name] = unsafe getenv(name).map { unsafe String(cString: $0) }
            // Safe because the name is borrowed for the call.
            _ = unsafe unsetenv(name)
        }
        return ServiceManager(values, process: getpid())
    }()

    /// - Parameters:
    ///   - environment: may have `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
    ///   - process: the number of this process. A watchdog of another one is ignored.
    init?(_ environment: [String: String], process: Int32) {
        guard let socket = environment["NOTIFY_SOCKET"], socket.hasPrefix("/") || socket.hasPrefix("@")
        else { return nil }
        self.socket = socket
        let isOurs = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let time = environment["WATCHDOG_USEC"].flatMap(Int64.init).flatMap { $0 > 0 ? $0 : nil }
        watchdog = isOurs ? time.map { .microseconds($0) } : nil
    }

    /// Sends assignments such as `READY=1`, in one datagram. A manager that has gone away is ignored, as the app runs
    /// all the same.
    func tell(_ assignments: [String]) {
        guard !assignments.isEmpty else { return }
        try? Datagram.send(Array(assignments.joined(separator: "\n").utf8), to: socket)
    }
}
