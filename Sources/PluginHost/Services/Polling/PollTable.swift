/// The polls of plugins. A plain value: its owner calls it under a lock, and acts on the result after
/// unlocking.
struct PollTable {
    /// The parameters of a poll.
    struct Request {
        let call: CallToken
        let image: PluginImage
        let descriptor: Int32
        let ready: NumberCallback
        let release: PluginCallback?
    }

    private struct Poll {
        let request: Request
        var isReporting = false
        var hasEnded = false
    }

    /// A poll that ended. Its owner must stop watching the descriptor. If no report is running, it must
    /// release the context, too; otherwise `reported` says so later.
    struct Ended {
        let number: UInt64
        let request: Request
        let isReporting: Bool
    }

    private var polls: [UInt64: Poll] = [:]
    private var last: UInt64 = 0

    /// Adds a poll, and returns its number, which is never used again.
    mutating func add(_ request: Request) -> UInt64 {
        last += 1
        polls[last] = Poll(request: request)
        return last
    }

    /// Removes a poll that could not begin.
    mutating func remove(_ poll: UInt64) { polls[poll] = nil }

    /// The parameters of a poll that has not ended.
    func find(_ poll: UInt64) -> Request? {
        guard let found = polls[poll], !found.hasEnded else { return nil }
        return found.request
    }

    /// Begins to report events. Nil when the poll has ended.
    mutating func begin(_ poll: UInt64) -> Request? {
        guard let request = find(poll) else { return nil }
        polls[poll]!.isReporting = true
        return request
    }

    /// The poll's function has returned. If the poll has ended meanwhile, the owner must release the context.
    mutating func reported(_ poll: UInt64) -> Request? {
        guard let found = polls[poll] else { preconditionFailure("a poll stays while it reports") }
        polls[poll]!.isReporting = false
        guard found.hasEnded else { return nil }
        polls[poll] = nil
        return found.request
    }

    /// Ends a poll; nil when it has ended already.
    mutating func end(_ poll: UInt64) -> Ended? {
        guard let found = polls[poll], !found.hasEnded else { return nil }
        if found.isReporting { polls[poll]!.hasEnded = true } else { polls[poll] = nil }
        return Ended(number: poll, request: found.request, isReporting: found.isReporting)
    }
}
