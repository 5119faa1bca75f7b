/// Starts and ends the runs of a feedback with one run per key. Each key has a slot, after the slots of the
/// declared feedbacks.
extension LoopCore {
    /// Ends the runs that the current state removes or replaces. The other runs continue.
    func endKeys(_ runs: KeyedRunPool<State, Event>, of feedbackSlot: FeedbackSlot<State, Event>) {
        feedbackSlot.hasRun = true
        let endings = runs.endings
        runs.endings = []
        // A run has no slot if the loop stopped before its start.
        for run in endings where run.slotIndex >= 0 {
            let slot = slot(at: run.slotIndex)
            slot.change = run.effect == nil ? .none : .new
            end(slot)
            // A call that executes elsewhere keeps the slot for its key.
            if slot.calls.map({ $0.executing == 0 }) ?? true { runs.releaseIfGone(run) }
        }
    }

    /// Starts and updates the runs that the current state asks for.
    func startKeys(
        _ runs: KeyedRunPool<State, Event>, of feedbackSlot: FeedbackSlot<State, Event>, _ event: Event?
    ) {
        feedbackSlot.hasRun = true
        for run in runs.takeStarts?() ?? [] {
            guard !has(LoopSignal.stop) else { return }
            let slot = run.slotIndex < 0 ? addSlot(run, of: runs, feedbackSlot) : slot(at: run.slotIndex)
            if let update = run.update.take() {
                queueUpdate(slot, event, runs.relayed(update))
            } else if slot.calls == nil {
                slot.number = runs.nextNumber() &- 1
                call(slot, state, event)
            } else {
                queueCall(slot, event)
            }
        }
    }

    /// Continues the runs of a feedback with keys from the previous loop.
    ///
    /// - Parameters:
    ///   - feedbackSlot: The feedback in this loop.
    ///   - old: The feedback in the previous loop; nil if that loop has stopped.
    /// - Returns: The slots of the keys in this loop, by their index in the previous loop; nil when the
    ///   feedback continues no other one.
    func inheritKeys(
        _ feedbackSlot: FeedbackSlot<State, Event>, from old: FeedbackSlot<State, Event>?
    ) -> [Int32: FeedbackSlot<State, Event>]? {
        guard case .allKeys(let runs)? = feedbackSlot.calls?.keyedRole else { return [:] }
        guard let inherit = runs.inherit.take() else { return nil }
        if case .allKeys(let before)? = old?.calls?.keyedRole { inherit(before) } else { inherit(nil) }
        var continuing: [Int32: FeedbackSlot<State, Event>] = [:]
        for run in runs.all where run.slotIndex >= 0 {
            let before = run.slotIndex
            continuing[before] = addSlot(run, of: runs, feedbackSlot)
        }
        return continuing
    }

    private func addSlot(
        _ run: KeyedRun<State, Event>, of runs: KeyedRunPool<State, Event>,
        _ feedbackSlot: FeedbackSlot<State, Event>
    ) -> FeedbackSlot<State, Event> {
        let (effect, detached) = (feedbackSlot.effect, feedbackSlot.calls?.detached)
        let memory = FeedbackMemory<State, Event>(
            decide: { _, _ in .same },
            effect: { state, event, effectRun in
                runs.starting = run
                return try effect(state, event, effectRun)
            },
            detached: {
                runs.starting = run
                return detached?() ?? KeyedRun<State, Event>.nothing
            }, keyedRole: .oneKey(run, of: runs))
        let extras = obtainExtras()
        run.slotIndex = Int32(spin.feedbacks.count + extras.keyed.count)
        let slot = FeedbackSlot(
            door: self, index: run.slotIndex, feedback: feedbackSlot.feedback, policy: .change,
            executor: spin.feedbacks[Int(feedbackSlot.feedback)].executor, memory: memory)
        inbox.withLock { _ in extras.keyed.append(slot) }
        return slot
    }
}
