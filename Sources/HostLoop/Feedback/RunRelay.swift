/// A run that stands before another one: what a modifier puts between an effect and its run.
///
/// It translates events, and may be ended apart from the run behind it: cancelled, so that what speaks through
/// it still has to end, or cut, so that it is over at once.
// Safe because it adds immutable properties and a lock only.
final class RunRelay<Inner: Sendable, Outer: Sendable>: RunTarget<Inner>, @unchecked Sendable {
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

    init(
        _ outer: Run<Outer>, translate: @escaping @Sendable (Inner) -> Outer,
        takesFailure: @escaping @Sendable (any Error) -> Bool = { _ in false }
    ) {
        self.outer = outer
        self.translate = translate
        self.takesFailure = takesFailure
    }

    /// The run as the effect sees it.
    var inner: Run<Inner> { Run(target: self, number: outer.number) }

    /// Calls the effect as part of a call of the run behind.
    func call(_ effect: (Run<Inner>) throws -> EffectStatus) throws -> EffectStatus {
        do {
            let status = try effect(inner)
            if status == .finished { _ = end(cancels: false) }
            return status
        } catch {
            guard let ended = end(cancels: false) else { return .pending }
            if ended.isCancelled { return .finished }
            guard takesFailure(error) else { throw error }
            return .pending
        }
    }

    /// Cancels what speaks through this, which ends the run behind when it has ended itself.
    func cancel() {
        let handlers = face.withLock { face -> [CancelHandler] in
            guard !face.isOver, !face.isCancelled else { return [] }
            face.isCancelled = true
            defer { face.handlers = [] }
            return face.handlers
        }
        for handler in handlers { handler() }
    }

    /// Cancels what speaks through this and does not wait for its end; false when it is over already.
    func cut() -> Bool {
        end(cancels: true) != nil
    }

    /// Has `body` called when what speaks through this is over, however it ends: at once if it is already.
    func whenOver(_ body: @escaping @Sendable () -> Void) {
        let isOver = face.withLock { face in
            if !face.isOver { face.whenOver = body }
            return face.isOver
        }
        if isOver { body() }
    }

    /// Closes the relay once; answers what it was, if this was the time.
    private func end(cancels: Bool) -> Face? {
        let ended = face.withLock { face -> Face? in
            guard !face.isOver else { return nil }
            let before = face
            face = Face(isOver: true, isCancelled: cancels || before.isCancelled, hearsOuter: true)
            return before
        }
        guard let ended else { return nil }
        if cancels { for handler in ended.handlers { handler() } }
        ended.whenOver?()
        return ended
    }

    /// Is cancelled with the run behind.
    private func listen() {
        let isFirst = face.withLock { face in
            defer { face.hearsOuter = true }
            return !face.hearsOuter
        }
        if isFirst { outer.onCancel { self.cancel() } }
    }

    // MARK: - What the effect says

    /// Whether what is said now goes on to the run behind; if that is cancelled, for it to refuse and count.
    private var isOpen: Bool { face.withLock { !$0.isOver && !$0.isCancelled } || outer.isCancelled }

    override func leave(_ event: Inner, rest: ContiguousArray<Inner>?, from number: UInt64) -> EmitResult {
        guard isOpen else {
            drop(event, from: number)
            for event in rest ?? [] { drop(event, from: number) }
            return .cancelled
        }
        guard let rest else { return outer.emit(translate(event)) }
        return outer.emit(contentsOf: [translate(event)] + rest.map(translate))
    }

    /// An event that waits when the relay is cut was sent before, and is queued when there is room.
    override func send(_ event: Inner, from number: UInt64) async -> EmitResult {
        guard isOpen else {
            drop(event, from: number)
            return .cancelled
        }
        return await outer.send(translate(event))
    }

    override func drop(_ event: Inner, from number: UInt64) {
        outer.target.drop(translate(event), from: number)
    }

    override func isCancelled(_ number: UInt64) -> Bool {
        face.withLock { $0.isCancelled } || outer.isCancelled
    }

    override func onCancel(_ number: UInt64, _ handler: CancelHandler) {
        let (isCancelled, spent) = face.withLock { face in
            (face.isCancelled, face.isOver || face.isCancelled ? [] : face.handlers.add(handler))
        }
        withExtendedLifetime(spent) {}
        if isCancelled { handler() } else { listen() }
    }

    override func finish(_ number: UInt64) {
        if end(cancels: false) != nil { outer.finish() }
    }

    override func fail(_ number: UInt64, _ error: any Error) {
        guard let ended = end(cancels: false) else { return }
        if ended.isCancelled { return outer.finish() }
        if !takesFailure(error) { outer.fail(error) }
    }

    override func resume(_ number: UInt64, _ body: @escaping Resumption) {
        outer.resume { _ in
            guard !self.face.withLock({ $0.isOver || $0.isCancelled }) else { return .pending }
            return try self.call(body)
        }
    }

    override var cancellationIDs: CancellationIDs { outer.target.cancellationIDs }

    override var capacity: MailboxCapacity { outer.target.capacity }

    override var clock: any LoopClock { outer.clock }
}
