import TestSupport

@testable import HostLoop

extension Loop {
    /// Waits until no thread is at work in the loop: observers are told that it is quiescent just before.
    func rest() async {
        await waitUntil { core.inbox.withLock { $0.phase == .idle } }
    }
}
