import Synchronization

/// Counts the emissions of one host's plugins that came after their call was over.
final class LateEmissions: Sendable {
    private let number = Atomic<Int>(0)
    private let counted: @Sendable () -> Void

    /// - Parameter counted: called for each.
    init(counted: @escaping @Sendable () -> Void) { self.counted = counted }

    var total: Int { number.load(ordering: .relaxed) }

    func count() {
        number.add(1, ordering: .relaxed)
        counted()
    }
}
