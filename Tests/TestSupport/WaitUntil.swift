import Foundation

/// A test has waited for five minutes, many times longer than the busiest machine takes.
public struct WaitedInVain: Error {
    fileprivate static let patience = Duration.seconds(300)
}

/// Waits for a condition that has no notification: checks it every millisecond until it holds.
///
/// - Throws: `WaitedInVain`, and what `condition` throws.
public func blockUntil(_ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + WaitedInVain.patience
    while try !condition() {
        guard ContinuousClock.now < end else { throw WaitedInVain() }
        usleep(1000)
    }
}

/// Waits as `blockUntil` does, but does not block its thread. The time limit of the test ends the wait, and
/// the test then fails.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    while try await !condition(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}
