import Synchronization

/// What a loop continues from a journal: its number of steps, the numbers of its runs, and runs that an earlier
/// process has begun for events.
@usableFromInline
package struct LoopResumption<State: Sendable, Event: Sendable>: Sendable {
    /// A run, with the state and the event that it was begun for.
    package struct EventRun: Sendable {
        let feedback: Int32
        let number: UInt64
        let state: State
        let event: Event

        /// - Parameters:
        ///   - feedback: The index of the feedback, which has an event trigger.
        ///   - number: The run's number; 0 for a request that has no run yet.
        package init(feedback: Int, number: UInt64, state: State, event: Event) {
            (self.feedback, self.number) = (Int32(feedback), number)
            (self.state, self.event) = (state, event)
        }
    }

    /// The number of the state that the loop begins in.
    package let steps: UInt64
    /// By feedback: the number of the run before the next one.
    let numbers: [UInt64]
    /// The runs to begin again after the first state, in order.
    package var runs: [EventRun]

    /// The number of a feedback's last run so far.
    package func latest(ofFeedback index: Int) -> UInt64 { numbers[index] }

    /// A resumption.
    package init(steps: UInt64, numbers: [UInt64], runs: [EventRun]) {
        (self.steps, self.numbers, self.runs) = (steps, numbers, runs)
    }
}

extension Spin {
    /// Starts a loop that continues where a journal ends. The initial state is the state there.
    /// - Parameter events: They wait in the loop when it begins.
    package func start(
        observers: [any LoopObserver<State, Event>], resuming resumption: LoopResumption<State, Event>,
        with events: [Event]
    ) -> Loop<State, Event> {
        let loop = makeLoop(observers: observers)
        loop.core.obtainExtras().resumption = resumption
        for event in events { loop.emit(event) }
        loop.begin()
        return loop
    }
}

extension LoopCore {
    /// Continues the numbers of steps and runs.
    @usableFromInline
    func resume(_ resumption: LoopResumption<State, Event>) {
        tally.steps.store(resumption.steps, ordering: .relaxed)
        slots.forEach { slot in
            guard resumption.numbers.indices.contains(Int(slot.index)) else { return }
            slot.number = resumption.numbers[Int(slot.index)]
            if case .allKeys(let runs)? = slot.calls?.keyedRole { runs.continueNumbering(after: slot.number) }
        }
    }

    /// Begins the runs for events again. They keep their numbers.
    @usableFromInline
    func beginRuns(of resumption: LoopResumption<State, Event>) {
        for run in resumption.runs where !has(LoopSignal.stop) {
            let slot = slot(at: run.feedback)
            guard slot.calls == nil, slot.unfinished == 0 || slot.policy.whenBusy == .overlap else {
                queueCall(slot, run.event, of: run.state, number: run.number)
                continue
            }
            let latest = slot.number
            if run.number > 0 { slot.number = run.number &- 1 }
            call(slot, run.state, run.event)
            slot.number = max(slot.number, latest)
        }
    }
}
