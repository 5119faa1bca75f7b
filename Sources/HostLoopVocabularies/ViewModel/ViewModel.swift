import HostLoop
public import Observation

/// The state of some views, changed in transactions: subclass it, and give it commands that `write`.
///
/// A transaction is atomic. While it runs, no other thread changes the state of any view model, and other
/// threads read the states from before. When the outermost transaction ends, each view model that it changed
/// has one new state. After the transaction, the writing thread delivers the state to views and subscribers.
/// If another thread is delivering states of this view model, that thread delivers it. Views get every state
/// in order, but no state that equals the one before.
///
/// One lock of the whole process serialises the transactions of all view models. So the body of a `write`
/// must be short: it delays every other `write` of the process. A read outside a transaction does not wait
/// for it.
///
/// Any thread may use a view model, also within `render` and `onChange`. Swift's `Observation` tracks the
/// state. A subclass must declare `@unchecked Sendable`: the properties that it adds must be safe from any
/// thread.
///
/// The original library traps on a `write` within a `write`, and reports each assignment. Here writes may be
/// nested, and the outermost is one step.
// Safe because only the thread that is in the transaction uses `draft` and `depth`, and one thread is at a
// time. The rest is immutable.
open class ViewModel<State: ViewState>: Observable, @unchecked Sendable {
    private let loop: Loop<State, State>
    private let signal = StateSignal()
    let audience: Audience<State>
    /// The state within the transaction; nil when the transaction has not written this model.
    private var draft: State?
    /// The number of nested writes to this model in the transaction.
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
                .announcing { state, _ in
                    signal.change()
                    audience.deliver(state)
                }
            ], executor: .caller
        ).start()
    }

    /// The state. Within a transaction of the calling thread it is the state that the transaction has
    /// written.
    ///
    /// To set it outside a `write` to this view model is a precondition failure.
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
    /// It waits for the transactions of other threads. It returns after the delivery to views and
    /// subscribers; within another transaction it returns before.
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

    /// Sets the state to the result of `newState`, in a transaction.
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
