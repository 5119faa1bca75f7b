/// How the runs of a feedback with one run per key end and start: each in a slot of its own, behind those of
/// the declared feedbacks.
extension LoopCore {
    /// Ends the runs that the state at hand removes or replaces; the others go on.
    func endKeys(_ runs: KeyedRuns<State, Event>, of whole: FeedbackSlot<State, Event>) {
        whole.hasRun = true
        let endings = runs.endings
        runs.endings = []
        // A stop may have kept one from getting its slot.
        for run in endings where run.place >= 0 {
            let slot = slot(at: run.place)
            slot.change = run.effect == nil ? .none : .new
            end(slot)
            // A call that executes elsewhere keeps the slot for its key.
            if slot.calls.map({ $0.executing == 0 }) ?? true { runs.releaseIfGone(run) }
        }
    }

    /// Starts and updates runs as the state at hand asks for.
    func startKeys(
        _ runs: KeyedRuns<State, Event>, of whole: FeedbackSlot<State, Event>, _ event: Event?
    ) {
        whole.hasRun = true
        for run in runs.takeStarts?() ?? [] {
            guard !has(LoopSignal.stop) else { return }
            let slot = run.place < 0 ? addSlot(run, of: runs, whole) : slot(at: run.place)
            if let update = run.update.take() {
                queueUpdate(slot, event, runs.relayed(update))
            } else if slot.calls == nil {
                slot.number = runs.drawNumber() &- 1
                call(slot, state, event)
            } else {
                queueCall(slot, event)
            }
        }
    }

    /// Goes on with the runs of a feedback with keys of the loop before, where `old` has stopped if it is nil.
    ///
    /// - Returns: by the places of slots there, those of the same keys here; nil: the feedback takes no other one's place.
    func inheritKeys(
        _ whole: FeedbackSlot<State, Event>, from old: FeedbackSlot<State, Event>?
    ) -> [Int32: FeedbackSlot<State, Event>]? {
        guard case .whole(let runs)? = whole.calls?.part else { return [:] }
        guard let inherit = runs.inherit.take() else { return nil }
        if case .whole(let before)? = old?.calls?.part { inherit(before) } else { inherit(nil) }
        var continuing: [Int32: FeedbackSlot<State, Event>] = [:]
        for run in runs.all where run.place >= 0 {
            let before = run.place
            continuing[before] = addSlot(run, of: runs, whole)
        }
        return continuing
    }

    private func addSlot(
        _ run: KeyedRun<State, Event>, of runs: KeyedRuns<State, Event>, _ whole: FeedbackSlot<State, Event>
    ) -> FeedbackSlot<State, Event> {
        let (effect, detached) = (whole.effect, whole.calls?.detached)
        let memory = FeedbackMemory<State, Event>(
            decide: { _, _ in .same },
            effect: { state, event, effectRun in
                runs.starting = run
                return try effect(state, event, effectRun)
            },
            detached: {
                runs.starting = run
                return detached?() ?? KeyedRun<State, Event>.nothing
            }, part: .one(run, of: runs))
        let extras = obtainExtras()
        run.place = Int32(spin.feedbacks.count + extras.keyed.count)
        let slot = FeedbackSlot(
            door: self, index: run.place, feedback: whole.feedback, policy: .change,
            executor: spin.feedbacks[Int(whole.feedback)].executor, memory: memory)
        inbox.withLock { _ in extras.keyed.append(slot) }
        return slot
    }
}
