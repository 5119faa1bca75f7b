/// One call of an effect on another executor than the loop's. If the run was cancelled before the call
/// begins, the effect is not called.
final class EffectCall<Event: Sendable>: Runnable {
    private let slot: RunSlot<Event>
    private let effectRun: Run<Event>
    private let executor: LoopExecutor
    private let effect: @Sendable (Run<Event>) throws -> EffectStatus

    init(
        _ slot: RunSlot<Event>, _ number: UInt64, on executor: LoopExecutor,
        effect: @escaping @Sendable (Run<Event>) throws -> EffectStatus
    ) {
        self.slot = slot
        effectRun = Run(target: slot, number: number)
        self.executor = executor
        self.effect = effect
    }

    func run() {
        guard !effectRun.isCancelled else {
            return slot.door.returned(slot, effectRun.number, .finished, error: nil)
        }
        LoopScope.bind(core: slot.door, executor: executor, drains: false) {
            do {
                let status = try effect(effectRun)
                slot.door.returned(slot, effectRun.number, status, error: nil)
            } catch {
                var uncaught: (any Error)? = error
                if !effectRun.isCancelled, let event = slot.door.recovered(error, feedback: slot.feedback) {
                    effectRun.emit(event)
                    uncaught = nil
                }
                slot.door.returned(slot, effectRun.number, .finished, error: uncaught)
            }
        }
    }
}
