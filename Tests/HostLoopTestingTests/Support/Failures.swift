import HostLoop
import HostLoopTesting
import Testing

/// Collects the failures of a test loop, so that their texts can be compared.
final class Failures: Sendable {
    private let failures = Lock<[TestFailure]>([])

    var report: TestFailure.Report { { failure in self.failures.withLock { $0.append(failure) } } }
    var messages: [String] { failures.withLock { $0.map(\.message) } }
    var lines: [Int] { failures.withLock { $0.map { Int($0.location.line) } } }
}
