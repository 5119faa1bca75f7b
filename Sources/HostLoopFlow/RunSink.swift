public import HostLoop
import Synchronization

private enum Phase {
    static let starting: UInt8 = 0
    static let completed: UInt8 = 1
    static let pending: UInt8 = 2
}

/// The sink of a flow that is the effect of a run: values become the run's events.
///
/// The run finishes when the flow has completed or was cancelled, and all its tasks have ended. A failure
/// fails the run at once.
// Safe because it adds immutable properties, an atomic and a lock only.
final class RunSink<Event: Sendable>: FlowSink<Event>, @unchecked Sendable {
    private let effectRun: Run<Event>
    private let phase = Atomic<UInt8>(Phase.starting)
    private let failure = Lock<(any Error)?>(nil)

    private init(_ effectRun: Run<Event>) {
        self.effectRun = effectRun
        super.init(scope: FlowScope(life: FlowLife(of: effectRun)))
    }

    /// Starts a source for the run.
    /// - Returns: `.finished` if the flow completes during the call.
    /// - Throws: the failure of a flow that fails during the call.
    static func start(
        _ source: (FlowSink<Event>) -> Void, for effectRun: Run<Event>
    ) throws -> EffectStatus {
        let sink = RunSink(effectRun)
        source(sink)
        let (isFirst, before) = sink.phase.compareExchange(
            expected: Phase.starting, desired: Phase.pending, ordering: .acquiringAndReleasing)
        guard isFirst else {
            assert(before == Phase.completed)
            if let failure = sink.failure.withLock({ $0 }) { throw failure }
            return .finished
        }
        effectRun.onCancel { sink.cancel() }
        return .pending
    }

    override var isCancelled: Bool { scope.isCancelled || effectRun.isCancelled }

    override func receive(_ value: Event) -> EmitResult {
        effectRun.emit(value)
    }

    override nonisolated(nonsending) func receiveWhenRoom(_ value: Event) async -> EmitResult {
        await effectRun.sendOrDrop(value)
    }

    override func complete(_ error: (any Error)?) {
        if let error {
            failure.withLock { $0 = error }
            endRun(error)
            scope.cancel()
        } else {
            cancel()
        }
    }

    /// Cancels the source, which may have completed. The run finishes when no task works for the flow.
    private func cancel() {
        scope.cancel()
        scope.life.close { self.endRun(nil) }
    }

    private func endRun(_ error: (any Error)?) {
        let before = phase.exchange(Phase.completed, ordering: .acquiringAndReleasing)
        guard before == Phase.pending else { return }
        if let error { effectRun.fail(error) } else { effectRun.finish() }
    }
}

extension Flow {
    /// Subscribes to the flow as the effect of a run. A flow of known values needs no subscription.
    /// - Returns: `.finished` if the flow completes during the call.
    /// - Throws: the failure of a flow that fails during the call.
    @inlinable
    package func start(for run: Run<Value>) throws -> EffectStatus {
        switch source {
        case .one(let event):
            run.emit(event)
            return .finished
        case .values(let events):
            run.emit(contentsOf: events)
            return .finished
        case .pushed(let source):
            return try Self.subscribe(to: source, for: run)
        }
    }

    @usableFromInline
    static func subscribe(
        to source: (FlowSink<Value>) -> Void, for run: Run<Value>
    ) throws -> EffectStatus {
        try RunSink.start(source, for: run)
    }
}
