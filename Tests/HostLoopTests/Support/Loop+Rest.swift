import TestSupport

@testable import HostLoop

extension Loop {
    /// Whether the loop is idle.
    var rests: Bool { core.inbox.withLock { $0.phase == .idle } }

    /// Waits until the loop is idle: observers learn that it is quiescent just before.
    func rest() async { await waitUntil { rests } }
}
