import HostLoop

/// The wait of a sender for the journal: it goes with an event, and has one answer. May be used from any thread.
///
/// The event's record keeps it (`Record.keeping`). An event that a loop discards releases it, which answers, too.
final class JournalReceipt: Sendable {
    private let answer: Lock<(@Sendable (AppPort.Durability) -> Void)?>

    /// - Parameter answer: called once, on any thread. It must not block.
    init(_ answer: @escaping @Sendable (AppPort.Durability) -> Void) { self.answer = Lock(answer) }

    deinit { settle(.stopped) }

    /// Answers, unless that was done.
    func settle(_ durability: AppPort.Durability) { answer.exchange(nil)?(durability) }
}
