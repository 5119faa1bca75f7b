/// Keeps the answers to a page in the order of its requests. Some come from the host, and some from the server.
struct PageAnswers: Sendable {
    /// An answer that the page waits for.
    private enum Slot {
        case host
        case line(String)
    }

    private var slots: [Slot] = []

    /// How many requests have no answer yet.
    var count: Int { slots.count }

    /// The host answers the request.
    mutating func awaitHost() { slots.append(.host) }

    /// The server answers the request itself.
    ///
    /// - Returns: the lines to send now.
    mutating func answer(_ line: String) -> [String] {
        slots.append(.line(line))
        return ready()
    }

    /// The host has answered its oldest request.
    ///
    /// - Returns: nil if it has none; else the lines to send after that answer.
    mutating func hostAnswered() -> [String]? {
        guard case .host? = slots.first else { return nil }
        slots.removeFirst()
        return ready()
    }

    /// The host has gone, so the server answers what it was asked.
    ///
    /// - Returns: the lines to send now.
    mutating func hostLeft(_ line: String) -> [String] {
        let lines = slots.map { slot in if case .line(let own) = slot { own } else { line } }
        slots = []
        return lines
    }

    private mutating func ready() -> [String] {
        var lines: [String] = []
        while case .line(let line)? = slots.first {
            lines.append(line)
            slots.removeFirst()
        }
        return lines
    }
}
