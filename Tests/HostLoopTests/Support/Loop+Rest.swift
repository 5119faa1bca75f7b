import TestSupport

@testable import HostLoop

extension Loop {
    /// Whether no thread is at work in the loop.
    var rests: Bool { core.inbox.withLock { $0.phase == .idle } }

    /// Waits until it is so: observers are told that the loop is quiescent just before.
    func rest() async { await waitUntil { rests } }
}
