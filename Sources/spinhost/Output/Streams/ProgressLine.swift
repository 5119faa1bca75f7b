import App
import Glibc
import HostLoop
import PluginHost

/// A line on stderr that says how far a command is which takes long. May be used from any thread.
///
/// It appears when the command has taken a second, changes five times a second, and is erased at the end. When
/// stderr is no terminal, nothing is drawn. All other output of the program erases it first, so no line of that is spoilt.
final class ProgressLine: Sendable {
    /// When it is drawn.
    struct Timing {
        /// So long after the start it appears.
        var patience: Duration = .seconds(1)
        /// So often it changes.
        var interval: Duration = .milliseconds(200)
    }

    /// How far the work is.
    private struct Amount {
        var title: String
        var done = 0
        var total: Int?
    }

    /// What the terminal shows.
    private struct Screen {
        var isDrawn = false
        var isOver = false
    }

    /// The line of the program; there is one command at a time.
    private static let current = Lock<ProgressLine?>(nil)

    /// What is counted, in the singular and in the plural; nil for parts of the work.
    private let noun: (one: String, many: String)?
    private let amount: Lock<Amount>
    /// Held by the thread that writes. The thread that does the work needs it only to write, too.
    private let screen = Lock(Screen())
    private let began = ContinuousClock.now
    private let patience: Duration
    private let ticker: Ticker
    private let columns: @Sendable () -> Int
    private let write: @Sendable (String) -> Void

    /// A line that is drawn from now on, until `end`.
    ///
    /// - Parameters:
    ///   - title: what the command does, such as `checking run.journal`.
    ///   - noun: what `report` counts; nil for parts of the work.
    ///   - columns: the width of the terminal; a longer line is cut.
    ///   - write: writes a text with escapes to the terminal.
    init(
        _ title: String, counting noun: (one: String, many: String)? = nil, _ timing: Timing = Timing(),
        columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void
    ) {
        self.noun = noun
        amount = Lock(Amount(title: title))
        (patience, self.columns, self.write) = (timing.patience, columns, write)
        ticker = Ticker("spinhost.progress", every: timing.interval)
        ticker.start { [weak self] in self?.draw() }
    }

    /// Does something that may take long, and shows meanwhile how far it is.
    ///
    /// - Parameters:
    ///   - isWanted: false: nothing is shown, as with `--json`.
    ///   - body: gets the line; nil when nothing is shown.
    static func show<Result>(
        _ title: String, counting noun: (one: String, many: String)? = nil, if isWanted: Bool = true,
        _ body: (ProgressLine?) throws -> Result
    ) rethrows -> Result {
        guard isWanted, Terminal.isTerminal(STDERR_FILENO) else { return try body(nil) }
        let line = ProgressLine(
            Redaction.redacted(title), counting: noun, columns: { Terminal.size(STDERR_FILENO).columns }
        ) { ErrorOutput.writeAsIs($0) }
        current.withLock { $0 = line }
        defer {
            current.withLock { $0 = nil }
            line.end()
        }
        return try body(line)
    }

    /// Writes something else to a terminal, without the line.
    static func paused<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard let line = current.withLock({ $0 }) else { return try body() }
        return try line.pause(body)
    }

    /// So much is done.
    ///
    /// - Parameters:
    ///   - title: what is done now; nil: the same as before.
    ///   - total: how much there is to do; nil if it is not known.
    func report(_ title: String? = nil, done: Int, of total: Int? = nil) {
        amount.withLock { amount in
            if let title { amount.title = title }
            (amount.done, amount.total) = (done, total)
        }
    }

    /// Draws the line, unless it is too early.
    func draw() {
        let took = ContinuousClock.now - began
        guard took >= patience else { return }
        let line = TopTable.cut(text(took), to: max(1, columns() - 1))
        screen.withLock { screen in
            guard !screen.isOver else { return }
            screen.isDrawn = true
            write("\r\(line)\u{1B}[K")
        }
    }

    /// Erases the line for good.
    func end() {
        ticker.stop()
        screen.withLock { screen in
            screen.isOver = true
            erase(&screen)
        }
    }

    /// Does something while the line is erased and not drawn.
    func pause<Result: Sendable, Failure: Error>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try screen.withLock { screen throws(Failure) in
            erase(&screen)
            return try body()
        }
    }

    private func erase(_ screen: inout Screen) {
        if screen.isDrawn { write("\r\u{1B}[K") }
        screen.isDrawn = false
    }

    /// `checking run.journal: 1,204 entries, 24 %, 3 s`
    private func text(_ took: Duration) -> String {
        let amount = amount.withLock { $0 }
        var parts: [String] = []
        if let noun {
            if amount.done > 0 {
                parts.append("\(CountText.grouped(amount.done)) \(amount.done == 1 ? noun.one : noun.many)")
            }
            if let total = amount.total, total > 0 {
                parts.append("\(min(100, amount.done * 100 / total)) %")
            }
        } else if let total = amount.total {
            parts.append("\(CountText.grouped(amount.done)) of \(CountText.grouped(total))")
        }
        parts.append("\(CountText.grouped(Int(took / .seconds(1)))) s")
        return "\(amount.title): \(parts.joined(separator: ", "))"
    }
}
