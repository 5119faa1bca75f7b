/// The steps that were performed but not delivered: plain data behind the lock of the state.
// Safe because it is touched only with that lock held; the thread that removes it only releases it.
@usableFromInline
final class PerformedSteps<State: Sendable, Event: Sendable>: @unchecked Sendable {
    @usableFromInline
    struct Step: Sendable {
        @usableFromInline let event: Event
        @usableFromInline let reduction: Reduction
        /// The new state, if there is one. Once the step is taken: the state before.
        @usableFromInline var state: State?
        /// The duration of the reducer; zero when no observer needs it.
        @usableFromInline let duration: Duration

        @inlinable
        init(event: Event, reduction: Reduction, state: State?, duration: Duration) {
            self.event = event
            self.reduction = reduction
            self.state = state
            self.duration = duration
        }
    }

    /// The state after all of the steps.
    @usableFromInline var state: State
    @usableFromInline var steps = FIFO<Step>()
    /// The number of steps that made a new state.
    @usableFromInline var newStates: UInt64 = 0

    @inlinable
    init(after state: State) {
        self.state = state
    }

    @inlinable var isEmpty: Bool { steps.isEmpty }

    /// Reduces an event and keeps the step.
    @inlinable
    func perform(_ event: Event, by reducer: Reducer<State, Event>, on clock: (any LoopClock)?) -> Reduction {
        let began = clock?.now
        var reduction = Reduction.unhandled
        do {
            if try reducer.body(&state, event) { reduction = .newState }
        } catch {
            reduction = .failed(error)
        }
        var duration = Duration.zero
        if let began, let now = clock?.now { duration = began.duration(to: now) }
        var isNew = false
        if case .newState = reduction { isNew = true }
        if isNew { newStates += 1 }
        steps.append(
            Step(event: event, reduction: reduction, state: isNew ? state : nil, duration: duration))
        return reduction
    }

    /// Takes the next step. Its state becomes `delivered`.
    @inlinable
    func takeFirst(delivered: inout State) -> Step? {
        guard var step = steps.popFirst() else { return nil }
        if let next = step.state {
            step.state = delivered
            delivered = next
            newStates -= 1
        }
        return step
    }
}
