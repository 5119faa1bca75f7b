/// The lines that the server itself sends to a page.
enum PageLine {
    /// The answer to `hello`.
    static func hello(write: Bool) -> String {
        let about: [(String, JSON)] = [
            ("write", .bool(write)), ("version", .string(InspectorVersion.text)),
        ]
        return JSON.record([("ok", .bool(true)), ("inspector", .record(about))]).line
    }

    /// The host answers from now on.
    static func up(_ greeting: HostGreeting) -> String {
        var host: [(String, JSON)] = [
            ("state", .string("up")), ("app", .string(greeting.app)),
            ("pid", .number("\(greeting.process)")),
        ]
        if let since = greeting.since { host.append(("since", .string(since))) }
        return JSON.record([("host", .record(host))]).line
    }

    /// The host does not answer, for this reason.
    static func down(_ failure: HostFailure) -> String {
        JSON.record([
            ("host", .record([("state", .string("down")), ("reason", .string(failure.message))]))
        ]).line
    }

    /// The answer to a request while the host does not answer.
    static func noHost(_ failure: HostFailure?) -> String {
        PageRequest.fault("no-host", failure?.message ?? "the inspector has not reached the host yet")
    }
}
