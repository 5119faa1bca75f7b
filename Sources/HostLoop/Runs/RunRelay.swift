/// A proxy for a run: a modifier puts it between an effect and its run.
///
/// It can be ended apart from the run behind it. A relay that is cancelled waits until the effect has ended. A relay that is
/// cut is over at once.
// Safe because it adds immutable properties and a lock only.
@usableFromInline
final class RunRelay<Event: Sendable>: RunTarget<Event>, RunOperations, @unchecked Sendable {
    private enum Phase: Sendable {
        case open
        /// The effect must still say that it has ended.
        case cancelled
        case over(isCancelled: Bool)

        var isOpen: Bool { if case .open = self { true } else { false } }
        var isOver: Bool { if case .over = self { true } else { false } }
        var isCancelled: Bool {
            switch self {
            case .open: false
            case .cancelled: true
            case .over(let isCancelled): isCancelled
            }
        }
    }

    private struct Relayed: Sendable {
        var phase = Phase.open
        /// The run behind tells this when it is cancelled.
        var listensToOuter = false
        var handlers: [CancelHandler] = []
        var whenOver: (@Sendable () -> Void)?
    }

    private let outer: any RunOperations<Event>
    private let number: UInt64
    /// Called with a failure; true when it takes care of the run behind.
    private let takesFailure: @Sendable (any Error) -> Bool
    private let relayed = Lock(Relayed())
    /// Set when this is over: then the run behind need not tell it of its cancellation.
    private let expiry = CancelHandler.Expiry()

    private init(
        _ outer: any RunOperations<Event>, _ number: UInt64,
        takesFailure: @escaping @Sendable (any Error) -> Bool
    ) {
        self.outer = outer
        self.number = number
        self.takesFailure = takesFailure
        super.init(isSlot: false)
    }

    /// A relay of `run`.
    convenience init(
        _ run: Run<Event>, takesFailure: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) {
        self.init(run.operations, run.number, takesFailure: takesFailure)
    }

    /// A relay of `run` that translates each event.
    convenience init<Outer>(_ run: Run<Outer>, translate: @escaping @Sendable (Event) -> Outer) {
        self.init(TranslatedRun(outer: run.operations, translate: translate), run.number) { _ in false }
    }

    /// The run as the effect sees it.
    var inner: Run<Event> { Run(target: self, number: number) }

    /// Calls the effect as part of a call of the run behind. When the relay is over before the effect returns,
    /// the code that ended it decides what becomes of that run.
    func call(_ effect: (Run<Event>) throws -> EffectStatus) throws -> EffectStatus {
        do {
            guard try effect(inner) == .finished, end(cancels: false) != nil else { return .pending }
            return .finished
        } catch {
            guard let ended = end(cancels: false) else { return .pending }
            if ended.phase.isCancelled { return .finished }
            guard takesFailure(error) else { throw error }
            return .pending
        }
    }

    /// Cancels the effect; the run behind ends when the effect has ended.
    func cancel() {
        let cancelled = relayed.withLock { relayed -> Relayed? in
            guard relayed.phase.isOpen else { return nil }
            let before = relayed
            relayed = Relayed(phase: .cancelled, listensToOuter: before.listensToOuter)
            return before
        }
        for handler in cancelled?.handlers ?? [] { handler() }
        cancelled?.whenOver?()
    }

    /// Cancels the effect and does not wait for its end; false when it is over, or cancelled, already.
    func cut() -> Bool { end(cancels: true) != nil }

    /// Calls `body` when the effect is over, or cancelled: at once if it is already.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let isOpen = relayed.withLock { relayed in
            if relayed.phase.isOpen { relayed.whenOver = body }
            return relayed.phase.isOpen
        }
        if isOpen { listen() } else { body() }
    }

    /// Closes the relay once; answers what it was, if this was the time.
    private func end(cancels: Bool) -> Relayed? {
        let ended = relayed.withLock { relayed -> Relayed? in
            guard !relayed.phase.isOver, !cancels || relayed.phase.isOpen else { return nil }
            let before = relayed
            relayed = Relayed(
                phase: .over(isCancelled: cancels || before.phase.isCancelled), listensToOuter: true)
            return before
        }
        guard let ended else { return nil }
        expiry.set()
        if cancels { for handler in ended.handlers { handler() } }
        ended.whenOver?()
        return ended
    }

    /// Has the run behind cancel this when it is cancelled itself.
    private func listen() {
        let isFirst = relayed.withLock { relayed in
            defer { relayed.listensToOuter = true }
            return !relayed.listensToOuter
        }
        guard isFirst else { return }
        outer.onCancel(number, CancelHandler(until: expiry) { self.cancel() })
    }

    // MARK: - The effect speaks

    /// Whether an emission is passed to the run behind: also if that is cancelled, as it refuses and counts then.
    private var isOpen: Bool { relayed.withLock(\.phase.isOpen) || outer.isCancelled(number) }

    @usableFromInline
    func emit(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult {
        isOpen ? outer.emit(event, rest: rest, from: number) : drop(event, rest, number)
    }

    /// An entry that waits when the relay is cut was sent before, and is queued when there is room.
    @usableFromInline
    func post(
        _ event: Event, rest: ContiguousArray<Event>?, from number: UInt64, waiting ticket: RoomTicket?
    ) -> EmitResult? {
        isOpen
            ? outer.post(event, rest: rest, from: number, waiting: ticket) : drop(event, rest, number)
    }

    private func drop(_ event: Event, _ rest: ContiguousArray<Event>?, _ number: UInt64) -> EmitResult {
        drop(event, from: number)
        for event in rest ?? [] { drop(event, from: number) }
        return .cancelled
    }

    @usableFromInline
    func drop(_ event: Event, from number: UInt64) { outer.drop(event, from: number) }

    @usableFromInline
    func isCancelled(_ number: UInt64) -> Bool {
        relayed.withLock(\.phase.isCancelled) || outer.isCancelled(number)
    }

    @usableFromInline
    func onCancel(_ number: UInt64, _ handler: CancelHandler) {
        let (isCancelled, expired) = relayed.withLock { relayed in
            (relayed.phase.isCancelled, relayed.phase.isOpen ? relayed.handlers.add(handler) : [])
        }
        withExtendedLifetime(expired) {}
        if isCancelled { handler() } else { listen() }
    }

    @usableFromInline
    func finish(_ number: UInt64) {
        if end(cancels: false) != nil { outer.finish(number) }
    }

    @usableFromInline
    func fail(_ number: UInt64, _ error: any Error) {
        guard let ended = end(cancels: false) else { return }
        if ended.phase.isCancelled { return outer.finish(number) }
        if !takesFailure(error) { outer.fail(number, error) }
    }

    @usableFromInline
    func resume(_ number: UInt64, _ body: @escaping @Sendable () throws -> EffectStatus) {
        outer.resume(number) {
            switch self.relayed.withLock(\.phase) {
            case .over: .pending
            case .cancelled: self.end(cancels: false) == nil ? .pending : .finished
            case .open: try self.call { _ in try body() }
            }
        }
    }

    @usableFromInline
    func isExecuting(_ number: UInt64) -> Bool { outer.isExecuting(number) }
    @usableFromInline var cancellationIDs: CancellationIDs { outer.cancellationIDs }
    @usableFromInline var capacity: MailboxCapacity { outer.capacity }
    @usableFromInline var clock: any LoopClock { outer.clock }
}
