import Diagnostics
import HostLoop
import Journal
import Manifest
import Records

/// Where a loop continues from a journal.
struct LoopRestart: Sendable {
    /// The state, in the type of the manifest.
    let state: Record
    /// What the engine continues.
    let resumption: LoopResumption<Record, AppEvent>
    /// The feedbacks on change whose last run has ended, with the state that they have seen last: a run begins only if
    /// the arguments differ since.
    let settled: [Int: Record]
    /// The feedbacks that begin no run for the state.
    let skipped: Set<Int>
    /// The delays whose time was over in an earlier process, since the loop has entered its case.
    let over: Set<Int>
    /// Steps that feedbacks on events may not have seen, by the indices of the feedbacks, in order.
    let unseen: [Int: [Unseen]]
    /// By feedback: the runs that begin again under a key of an earlier epoch, with the number of that epoch.
    let epochs: [[UInt64: Int]]
    /// By feedback: the number that the first run for the last state would have, and its epoch.
    let next: [(number: UInt64, epoch: Int)]
    /// How long the loop has been in its case, in nanoseconds.
    let inCase: Int64
    /// The loop has reached its end. It begins no effect.
    let isOver: Bool
    /// For feedbacks whose runs are not begun again: what they emit instead.
    let emissions: [(feedback: Int, batch: EmissionBatch)]
    /// Runs that are not begun again with their numbers: the journal notes that they have ended.
    let ended: [(feedback: Int, run: UInt64)]
    /// The number of runs that are begun again.
    let runsAgain: Int
    /// Of the entry that made the state.
    private let position: UInt64
    private let isDelivered: Bool
    private let event: AppEvent?

    /// A step that a feedback may not have seen.
    struct Unseen: Sendable {
        let state: Record
        let event: AppEvent
        /// The number of the epoch in which it was made.
        let epoch: Int
        /// Among the steps before the last one; nil for the last one.
        let index: Int?
    }

    /// - Parameters:
    ///   - past: what the journal says, in the schema of the new epoch.
    ///   - last: what it says in the schema of the epoch before.
    ///   - loop: the loop in the manifest.
    ///   - state: the last state, in the type of the manifest.
    ///   - before: the last state that the feedbacks have seen, if that may be an earlier one.
    ///   - event: the event that made it, then.
    ///   - unseenStates: the states of the steps in `past.unseen`, in the type of the manifest; nil for one that does
    ///     not fit.
    ///   - skippedStep: the number of a state whose effects are not begun again.
    init(
        _ past: LoopPast, _ last: LoopPast, _ schema: LoopSchema, of loop: LoopModel, state: Record,
        before: Record?, event: AppEvent?, unseenStates: [Record?], inCase: Int64,
        skipping skippedStep: UInt64? = nil
    ) {
        let skipsState = skippedStep == last.step
        (position, isDelivered, self.event) = (last.position, last.isDelivered || skipsState, event)
        (self.state, self.inCase, isOver) = (state, inCase, last.end == true)
        var numbers: [UInt64] = []
        var (settled, unseen): ([Int: Record], [Int: [Unseen]]) = ([:], [:])
        var skipped: Set<Int> = []
        var epochs: [[UInt64: Int]] = []
        var next: [(number: UInt64, epoch: Int)] = []
        var runs: [LoopResumption<Record, AppEvent>.EventRun] = []
        var emissions: [(feedback: Int, batch: EmissionBatch)] = []
        var ended: [(feedback: Int, run: UInt64)] = []
        var again = 0
        for (index, feedback) in schema.feedbacks.enumerated() {
            let known = past.feedbacks[index]
            var number = known.latest
            let recovery = loop.feedbacks.first { $0.name == feedback.name }?.recovery ?? .again
            if case .emit(let batch) = recovery, !known.open.isEmpty { emissions.append((index, batch)) }
            // These are begun again with their numbers, and so with their keys.
            var (kept, keys): ([LoopPast.OpenRun], [UInt64: Int]) = ([], [:])
            var waiting: [LoopPast.OpenRun] = []
            switch (feedback.trigger, recovery) {
            case (.change, .again), (.state, .again):
                kept = known.open.suffix(1).filter { $0.step != skippedStep }
            case (.event, .again):
                kept = known.open.filter { $0.step != skippedStep }
                waiting = known.waiting.filter { $0.step != skippedStep }
            case (.each, _): again += skipsState ? 0 : known.open.count
            default: break
            }
            again += kept.count + waiting.count
            for run in kept { keys[run.number] = run.epoch }
            // A request has the next number when it begins, unless it had one before it had to wait.
            var first = known.latest + 1
            for run in waiting {
                keys[run.number > 0 ? run.number : first] = run.epoch
                if run.number == 0 { first += 1 }
            }
            if skipsState, kept.isEmpty, feedback.trigger != .event {
                skipped.insert(index)
                // So the next process knows of a run that has ended.
                number = max(number, 1)
            } else if feedback.trigger == .event {
                runs += (kept + waiting).compactMap { run in
                    run.cause.map { cause in
                        LoopResumption.EventRun(
                            feedback: index, number: run.number, state: cause.state,
                            event: AppEvent(index: cause.event, payload: cause.payload))
                    }
                }
                unseen[index] = zip(past.unseen, unseenStates).enumerated().compactMap { number, unseen in
                    let (step, state) = unseen
                    guard let state, !step.seenBy.contains(index), step.step != skippedStep else {
                        return nil
                    }
                    return Unseen(
                        state: state,
                        event: AppEvent(index: step.cause.event, payload: step.cause.payload),
                        epoch: step.epoch, index: number)
                }
                if let event, known.seen != last.step + 1, !skipsState {
                    unseen[index]?.append(Unseen(state: state, event: event, epoch: last.epoch, index: nil))
                }
            } else if let open = kept.first {
                number = open.number - 1
            } else if feedback.trigger == .change, known.latest > 0 {
                // A feedback that has done something for a state has seen it.
                let seen = Array(zip(past.unseen, unseenStates)).last { $0.0.seenBy.contains(index) }?.1
                settled[index] = known.seen == last.step + 1 ? state : seen ?? before ?? state
            } else if [.state, .change].contains(feedback.trigger), !last.isDelivered {
                keys[known.latest + 1] = last.epoch
            }
            let numbersKept = Set(kept.map(\.number))
            ended += known.open.filter { !numbersKept.contains($0.number) }.map { (index, $0.number) }
            next.append((first, last.epoch))
            numbers.append(number)
            epochs.append(keys)
        }
        (self.settled, self.unseen, self.emissions) = (settled, unseen, emissions)
        self.skipped = skipped
        over = Set(schema.feedbacks.indices.filter { past.feedbacks[$0].isOver })
        (self.ended, self.epochs, self.next, runsAgain) = (ended, epochs, next, again)
        resumption = LoopResumption(
            steps: last.step, numbers: numbers, runs: isOver ? [] : runs)
    }

    /// Writes what the loop continues.
    ///
    /// - Returns: the number of entries with a position.
    func write(to encoder: LoopEncoder, time: Int64) -> Int {
        begin(encoder, time)
        for (feedback, run) in ended { encoder.ended(feedback: feedback, run: run, .cancelled) }
        return 1
    }

    /// Writes the state alone: no run begins or ends, and a loop that has reached its end stays so.
    ///
    /// - Returns: the number of entries with a position.
    func writeState(to encoder: LoopEncoder, time: Int64) -> Int {
        begin(encoder, time)
        if isOver { encoder.finished(time: time, isDone: true) }
        return isOver ? 2 : 1
    }

    private func begin(_ encoder: LoopEncoder, _ time: Int64) {
        encoder.started(
            state, step: resumption.steps, time: time, position: position, isDelivered: isDelivered,
            event: event.map { ($0.index, $0.payload) })
    }
}
