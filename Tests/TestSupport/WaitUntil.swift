import Foundation

/// Something that a test waited for did not come in five minutes, many times what the busiest machine takes.
public struct WaitedInVain: Error {
    fileprivate static let patience = Duration.seconds(300)
}

/// Waits for something that nothing tells of: looks every millisecond until `condition` holds.
///
/// - Throws: `WaitedInVain`, and what `condition` throws.
public func blockUntil(_ condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + WaitedInVain.patience
    while try !condition() {
        guard ContinuousClock.now < end else { throw WaitedInVain() }
        usleep(1000)
    }
}

/// Waits as `blockUntil` does, and leaves its thread to others meanwhile. It ends with the time limit of the test, which is
/// told of then.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    while try await !condition(), !Task.isCancelled { try? await Task.sleep(for: .milliseconds(1)) }
}
