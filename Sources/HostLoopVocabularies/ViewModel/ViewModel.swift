import HostLoop
public import Observation

/// The state of some views, changed in transactions: subclass it, and give it commands that `write`.
///
/// A transaction is atomic: while it runs, no other thread changes the state of any view model, and everyone
/// else sees the states from before. When the outermost one ends, each view model that it changed has one new
/// state; then, outside the transaction, views and subscribers are told, on the thread that wrote (or, if
/// another one is telling of this view model just now, on that). Views are given every state in order; a state
/// equal to the one before is not told.
///
/// It may be used from any thread, and from within `render` and `onChange`; the state is tracked by Swift's
/// `Observation`. A subclass states `@unchecked Sendable`: what it adds must be safe from any thread.
///
/// Where the original library traps on a `write` within a `write`, and tells of each assignment, here writes
/// may be nested and the outermost is one step.
// Safe because `draft` and `depth` are touched only by the thread that is in the transaction, of which there is
// one at a time; the rest is immutable.
open class ViewModel<State: ViewState>: Observable, @unchecked Sendable {
    private let loop: Loop<State, State>
    private let signal = StateSignal()
    let audience: Audience<State>
    /// What the transaction has made of the state; nil when it has not touched this model.
    private var draft: State?
    /// How many writes to this model are under way on the thread that is in the transaction.
    private var depth = 0

    /// Makes a view model.
    public init(initialState: State) {
        let audience = Audience(initialState)
        self.audience = audience
        let signal = signal
        loop = Spin<State, State>(
            initialState: initialState,
            reducer: Reducer { (state: inout State, next: State) -> Bool in
                state = next
                return true
            },
            feedbacks: [
                .announcing { state in
                    signal.change()
                    audience.tell(state)
                }
            ], executor: .caller
        ).start()
    }

    /// The state; within a transaction of the calling thread, what that has made of it so far.
    ///
    /// Setting it outside a `write` to this view model is a precondition failure.
    public var state: State {
        get {
            signal.access()
            if WriteTransaction.shared.isMine, let draft { return draft }
            return loop.state
        }
        set {
            precondition(
                WriteTransaction.shared.isMine && depth > 0,
                "the state of a view model is set outside its `write`")
            draft = newValue
        }
    }

    /// Runs a transaction, which may set `state`, read and write other view models, and write again.
    ///
    /// It returns when views and subscribers were told; within another transaction at once. Waits for the
    /// transactions of other threads.
    public func write(_ transaction: () -> Void) {
        WriteTransaction.shared.run {
            if draft == nil {
                draft = loop.state
                WriteTransaction.shared.note(self)
            }
            depth += 1
            transaction()
            depth -= 1
        }
    }

    /// Sets the state to what `newState` makes, in a transaction.
    public func update(_ newState: () -> State) {
        write { state = newState() }
    }
}

extension ViewModel: WrittenModel {
    func apply() -> Bool {
        guard let next = draft else { return false }
        draft = nil
        guard next != loop.state else { return false }
        return loop.apply([next])
    }

    func deliver() {
        loop.deliverApplied()
    }
}
