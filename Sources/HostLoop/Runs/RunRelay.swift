/// A run that stands before another one: what a modifier puts between an effect and its run.
///
/// It translates events, and may be ended apart from the run behind it: cancelled, so that what speaks through
/// it still has to end, or cut, so that it is over at once.
final class RunRelay<Inner: Sendable, Outer: Sendable>: RunTarget {
    private struct Face: Sendable {
        var isOver = false
        var isCancelled = false
        var hearsOuter = false
        var handlers: [CancelHandler] = []
        var whenOver: (@Sendable () -> Void)?
    }

    private let outer: Run<Outer>
    private let translate: @Sendable (Inner) -> Outer
    /// Told of a failure; true when it sees to what follows.
    private let takesFailure: @Sendable (any Error) -> Bool
    private let face = Lock(Face())
    /// Set when this is over and the run behind need not tell it any more.
    private let spent = CancelHandler.Spent()

    init(
        _ outer: Run<Outer>, translate: @escaping @Sendable (Inner) -> Outer,
        takesFailure: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) {
        self.outer = outer
        self.translate = translate
        self.takesFailure = takesFailure
    }

    /// The run as the effect sees it.
    var inner: Run<Inner> { Run(through: self, number: outer.number) }

    /// Calls the effect as part of a call of the run behind. When the relay is over before the effect returns,
    /// whoever ended it says what becomes of that run.
    func call(_ effect: (Run<Inner>) throws -> EffectStatus) throws -> EffectStatus {
        do {
            guard try effect(inner) == .finished, end(cancels: false) != nil else { return .pending }
            return .finished
        } catch {
            guard let ended = end(cancels: false) else { return .pending }
            if ended.isCancelled { return .finished }
            guard takesFailure(error) else { throw error }
            return .pending
        }
    }

    /// Cancels what speaks through this, which ends the run behind when it has ended itself.
    func cancel() {
        let cancelled = face.withLock { face -> Face? in
            guard !face.isOver, !face.isCancelled else { return nil }
            let before = face
            face = Face(isCancelled: true, hearsOuter: before.hearsOuter)
            return before
        }
        for handler in cancelled?.handlers ?? [] { handler() }
        cancelled?.whenOver?()
    }

    /// Cancels what speaks through this and does not wait for its end; false when that is over, or cancelled,
    /// already.
    func cut() -> Bool {
        end(cancels: true) != nil
    }

    /// Has `body` called when what speaks through this is over, or cancelled: at once if it is already.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let isOver = face.withLock { face in
            let isOver = face.isOver || face.isCancelled
            if !isOver { face.whenOver = body }
            return isOver
        }
        if isOver { body() } else { listen() }
    }

    /// Closes the relay once; answers what it was, if this was the time.
    private func end(cancels: Bool) -> Face? {
        let ended = face.withLock { face -> Face? in
            guard !face.isOver, !cancels || !face.isCancelled else { return nil }
            let before = face
            face = Face(isOver: true, isCancelled: cancels || face.isCancelled, hearsOuter: true)
            return before
        }
        guard let ended else { return nil }
        spent.set()
        if cancels { for handler in ended.handlers { handler() } }
        ended.whenOver?()
        return ended
    }

    /// Hears when the run behind is cancelled: then what speaks through this is, and still has to say when it ends.
    private func listen() {
        let isFirst = face.withLock { face in
            defer { face.hearsOuter = true }
            return !face.hearsOuter
        }
        guard isFirst else { return }
        outer.behind.onCancel(outer.number, CancelHandler(until: spent) { self.cancel() })
    }

    // MARK: - What the effect says

    /// Whether what is said now goes on to the run behind; if that is cancelled, for it to refuse and count.
    private var isOpen: Bool { face.withLock { !$0.isOver && !$0.isCancelled } || outer.isCancelled }

    func emit(_ event: Inner, rest: ContiguousArray<Inner>?, from number: UInt64) -> EmitResult {
        guard isOpen else { return drop(event, rest, number) }
        guard let rest else { return outer.emit(translate(event)) }
        return outer.emit(contentsOf: [translate(event)] + rest.map(translate))
    }

    /// An entry that waits when the relay is cut was sent before, and is queued when there is room.
    func post(
        _ event: Inner, rest: ContiguousArray<Inner>?, from number: UInt64, waiting ticket: RoomTicket?
    ) -> EmitResult? {
        guard isOpen else { return drop(event, rest, number) }
        return outer.behind.post(
            translate(event), rest: rest.map { ContiguousArray($0.map(translate)) }, from: outer.number,
            waiting: ticket)
    }

    private func drop(_ event: Inner, _ rest: ContiguousArray<Inner>?, _ number: UInt64) -> EmitResult {
        drop(event, from: number)
        for event in rest ?? [] { drop(event, from: number) }
        return .cancelled
    }

    func drop(_ event: Inner, from number: UInt64) {
        outer.behind.drop(translate(event), from: number)
    }

    func isCancelled(_ number: UInt64) -> Bool {
        face.withLock { $0.isCancelled } || outer.isCancelled
    }

    func onCancel(_ number: UInt64, _ handler: CancelHandler) {
        let (isCancelled, spent) = face.withLock { face in
            (face.isCancelled, face.isOver || face.isCancelled ? [] : face.handlers.add(handler))
        }
        withExtendedLifetime(spent) {}
        if isCancelled { handler() } else { listen() }
    }

    func finish(_ number: UInt64) {
        if end(cancels: false) != nil { outer.finish() }
    }

    func fail(_ number: UInt64, _ error: any Error) {
        guard let ended = end(cancels: false) else { return }
        if ended.isCancelled { return outer.finish() }
        if !takesFailure(error) { outer.fail(error) }
    }

    func resume(_ number: UInt64, _ body: @escaping Run<Inner>.Resumption) {
        outer.resume { _ in
            let face = self.face.withLock { $0 }
            guard !face.isOver else { return .pending }
            guard !face.isCancelled else { return self.end(cancels: false) == nil ? .pending : .finished }
            return try self.call(body)
        }
    }

    func isExecuting(_ number: UInt64) -> Bool { outer.behind.isExecuting(number) }

    var cancellationIDs: CancellationIDs { outer.behind.cancellationIDs }

    var capacity: MailboxCapacity { outer.behind.capacity }

    var clock: any LoopClock { outer.clock }
}
