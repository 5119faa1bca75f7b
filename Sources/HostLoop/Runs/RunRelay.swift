/// A proxy for a run. A modifier puts it between an effect and its run, the outer run.
///
/// It can end before the outer run ends. A cancelled relay waits until the effect has ended. A relay that is
/// cut is over at once.
// Safe because it adds immutable properties and a lock only.
@usableFromInline
final class RunRelay<Event: Sendable>: RunTarget<Event>, RunOperations, @unchecked Sendable {
    private enum Phase: Sendable {
        case open
        /// The effect must still report its end.
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
        /// The outer run has a handler that cancels this relay.
        var listensToOuter = false
        var handlers: [CancelHandler] = []
        var whenOver: (@Sendable () -> Void)?
    }

    private let outer: any RunOperations<Event>
    private let number: UInt64
    /// Called with a failure. Returns true when it handles the outer run itself.
    private let takesFailure: @Sendable (any Error) -> Bool
    private let relayed = Lock(Relayed())
    /// Set when the relay is over: the outer run need not cancel it any more.
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

    /// Calls the effect as part of a call of the outer run. If the relay is over before the effect returns,
    /// the code that ended it decides how the outer run continues.
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

    /// Cancels the effect. The outer run ends when the effect has ended.
    func cancel() {
        let before = relayed.withLock { relayed -> Relayed in
            let before = relayed
            if before.phase.isOpen { relayed.phase = .cancelled }
            (relayed.handlers, relayed.whenOver) = ([], nil)
            return before
        }
        // An effect that has ended just before has left its handlers here.
        for handler in before.handlers { handler() }
        before.whenOver?()
    }

    /// Cancels the effect and does not wait for its end. Returns false when the relay is over or cancelled
    /// already.
    func cut() -> Bool { end(cancels: true) != nil }

    /// Calls `body` when the effect is over or cancelled: at once, if it is so already.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let isOpen = relayed.withLock { relayed in
            if relayed.phase.isOpen { relayed.whenOver = body }
            return relayed.phase.isOpen
        }
        if isOpen { listen() } else { body() }
    }

    /// Closes the relay once. Returns its former state, or nil when it was closed before.
    ///
    /// If the outer run is cancelled, the thread that cancels it comes here soon. The relay keeps the handlers for it.
    private func end(cancels: Bool) -> Relayed? {
        let keepsHandlers = !cancels && outer.isCancelled(number)
        let ended = relayed.withLock { relayed -> Relayed? in
            guard !relayed.phase.isOver, !cancels || relayed.phase.isOpen else { return nil }
            let before = relayed
            relayed = Relayed(
                phase: .over(isCancelled: cancels || before.phase.isCancelled), listensToOuter: true,
                handlers: keepsHandlers ? before.handlers : [])
            return before
        }
        guard let ended else { return nil }
        if !keepsHandlers { expiry.set() }
        if cancels { for handler in ended.handlers { handler() } }
        ended.whenOver?()
        return ended
    }

    /// Registers a handler with the outer run that cancels this relay.
    private func listen() {
        let isFirst = relayed.withLock { relayed in
            defer { relayed.listensToOuter = true }
            return !relayed.listensToOuter
        }
        guard isFirst else { return }
        outer.onCancel(number, CancelHandler(until: expiry) { self.cancel() })
    }

    // MARK: - Operations of the effect

    /// Whether the relay passes an emission to the outer run. It does so too when the outer run is cancelled,
    /// since that refuses the emission and counts it.
    private var isOpen: Bool { relayed.withLock(\.phase.isOpen) || outer.isCancelled(number) }

    @usableFromInline
    func emit(_ event: Event, rest: ContiguousArray<Event>?, from number: UInt64) -> EmitResult {
        isOpen ? outer.emit(event, rest: rest, from: number) : drop(event, rest, number)
    }

    /// Queues an entry of its own. An entry that waits when the relay is cut was sent before; the mailbox
    /// queues it when there is room.
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
    @usableFromInline
    func whenRoom(for weight: Int, _ body: @escaping @Sendable () -> Void) -> Cancellation {
        outer.whenRoom(for: weight, body)
    }
    @usableFromInline
    func countFull() { outer.countFull() }
    @usableFromInline var clock: any LoopClock { outer.clock }
}
