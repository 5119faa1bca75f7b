import HostLoop
import Records
import Synchronization

/// Where other threads follow the states of a loop. While nothing follows, a step costs one look at a number
/// more.
final class StateTap: Sendable {
    /// States that wait to be taken. When there are more, only the newest is kept.
    static let capacity = 256

    private struct Kept {
        var waiting: [AppState] = []
        /// The last state since the tap was opened.
        var newest: AppState?
        var openings = 0

        /// True when no other state waits.
        mutating func append(_ state: AppState) -> Bool {
            if waiting.count == StateTap.capacity { waiting = [] }
            waiting.append(state)
            return waiting.count == 1
        }
    }

    /// Counts the states of the loop.
    let steps = StepCount()
    private let loop: Int
    private let statesCame: @Sendable () -> Void
    private let isOpen = Atomic<Bool>(false)
    private let kept = Lock(Kept())

    init(loop: Int, statesCame: @escaping @Sendable () -> Void) {
        (self.loop, self.statesCame) = (loop, statesCame)
    }

    /// The loop has a new state, which is counted. Called by the thread that made it, under the lock of the
    /// state.
    @inline(__always)
    func made(_ state: Record) {
        if isOpen.load(ordering: .relaxed) { keep(state) }
    }

    @inline(never)
    private func keep(_ state: Record) {
        let made = AppState(loop: loop, step: steps.current, state: state)
        let isFirst = kept.withLock { kept in
            guard kept.openings > 0 else { return false }
            kept.newest = made
            return kept.append(made)
        }
        if isFirst { statesCame() }
    }

    /// Keeps states from now on. Calls are counted.
    func open() {
        kept.withLock { kept in
            kept.openings += 1
            isOpen.store(true, ordering: .relaxed)
        }
    }

    /// Ends one `open`. After the last, no state is kept.
    func close() {
        kept.withLock { kept in
            kept.openings -= 1
            guard kept.openings == 0 else { return }
            isOpen.store(false, ordering: .relaxed)
            kept = Kept()
        }
    }

    func take() -> [AppState] {
        kept.withLock { kept in
            defer { kept.waiting = [] }
            return kept.waiting
        }
    }

    /// The current state of the loop with its number; the tap is open.
    ///
    /// - Parameter read: reads the state of the loop, and waits for a reduction that is under way.
    func present(_ read: () -> Record) -> AppState {
        while true {
            // A state that is made after the first `read` is kept, because its maker sees the open tap.
            if let newest = kept.withLock({ $0.newest }) { return newest }
            let before = steps.current
            let state = read()
            // The number is written under the lock that `read` takes. An equal number is therefore the number
            // of this state.
            if steps.current == before {
                return AppState(loop: loop, step: before, state: state)
            }
        }
    }

    /// Keeps the current state of the loop to be taken; the tap is open.
    func keepPresent(_ read: () -> Record) {
        let state = present(read)
        if kept.withLock({ $0.openings > 0 && $0.append(state) }) { statesCame() }
    }
}
