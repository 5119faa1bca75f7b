import Foundation

/// Waits for something that nothing tells of: looks every millisecond until `condition` holds, for as long as it takes.
public func blockUntil(_ condition: () throws -> Bool) rethrows {
    while try !condition() { usleep(1000) }
}

/// Waits as `blockUntil` does, and leaves its thread to others meanwhile.
public func waitUntil(
    isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows {
    // Only a task that is cancelled does not sleep.
    while try await !condition() { try? await Task.sleep(for: .milliseconds(1)) }
}
