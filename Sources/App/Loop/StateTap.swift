import HostLoop
import Records
import Synchronization

/// Where the states of one running loop can be taken from. A loop that nobody follows pays one look at a number for it.
final class StateTap: Sendable {
    /// States that wait to be taken; when there are more, only the newest stays.
    static let capacity = 256

    private struct Kept {
        var waiting: [AppState] = []
        /// The last one since the tap was opened.
        var newest: AppState?
        var openings = 0

        /// True when nothing waited before.
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

    /// The loop is in a new state, which is counted; called where that is made, under the lock of the state.
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

    /// From now on states are kept. Calls are counted.
    func open() {
        kept.withLock { kept in
            kept.openings += 1
            isOpen.store(true, ordering: .relaxed)
        }
    }

    /// Ends one `open`; with the last, nothing is kept any more.
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

    /// The state that the loop is in, with its number; the tap is open.
    ///
    /// - Parameter read: reads the state of the loop, waiting for a reduction that is under way.
    func present(_ read: () -> Record) -> AppState {
        while true {
            // A state that is made once the first `read` has returned is kept: its maker has seen that the tap is open.
            if let newest = kept.withLock({ $0.newest }) { return newest }
            let before = steps.current
            let state = read()
            // The number is written under the lock that `read` takes: when it is the same, it is that of the state.
            if steps.current == before {
                return AppState(loop: loop, step: before, state: state)
            }
        }
    }

    /// Keeps the state that the loop is in to be taken; the tap is open.
    func keepPresent(_ read: () -> Record) {
        let state = present(read)
        if kept.withLock({ $0.openings > 0 && $0.append(state) }) { statesCame() }
    }
}
