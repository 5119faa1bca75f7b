/// How other loops by key take the place of these.
extension KeyedCore {
    /// Continues the loops of `old`. No thread drains any of them, or one of these.
    ///
    /// Events that come for `old` meanwhile wait, and get here in their order. The states of `old` can be read until it is
    /// released.
    func takePlace(
        of old: KeyedCore, _ succession: LoopSuccession<Event>, state: (Key, State) -> State,
        kept: (Key, State) -> State?
    ) -> @Sendable () -> Void {
        // A loop that stops already ends where it is.
        for instance in old.contents.withLock({ $0.table.all }) where instance.loop.has(LoopSignal.stop) {
            instance.loop.close()
        }
        var (instances, states, timer) = old.contents.withLock { before in
            before.isStopped = true
            before.successor = Successor(core: self, event: succession.event)
            // In one step: what ends from now on counts here.
            contents.withLock { contents in
                (contents.counters, contents.past) = (before.counters, before.past)
                contents.table.last = before.table.last
            }
            defer { before.timer = nil }
            return (before.table.all, before.kept, before.timer)
        }
        timer?.cancel()
        states.convert(kept)
        contents.withLock { [states] in $0.kept = states }
        let cancels = instances.map { takePlace(of: $0, in: old, succession, state) }
        startTimer()
        takeEvents(of: old, succession)
        return { for cancel in cancels { cancel() } }
    }

    private func takePlace(
        of before: Instance, in old: KeyedCore, _ succession: LoopSuccession<Event>,
        _ state: (Key, State) -> State
    ) -> @Sendable () -> Void {
        let (key, loop, number) = (before.key, before.loop!, before.number)
        let made = Instance(key, of: self)
        made.makeLoop(of: spin, startingFrom: state(key, loop.currentState), observers: rules.observers(key))
        // From now on, its end is of interest alone. `old` keeps the owner for threads that wake the loop just now.
        loop.owner = nil
        let feedbacks = succession.feedbacks.filter { loop.hasSeenState(Int32($0.key)) }
        let cancel = made.loop.takePlace(
            of: loop, LoopSuccession(feedbacks: feedbacks, event: succession.event))
        // It may be scheduled, and must not begin.
        loop.hasBegun = true
        contents.withLock { contents in
            contents.table.insert(made, number: number)
            contents.unended += 1
        }
        LoopEnd(source: loop).notify { [old] in old.ended(number) }
        made.loop.wake()
        return cancel
    }

    /// Takes the events that wait in `old`, until there are none. Later ones come at once.
    private func takeEvents(of old: KeyedCore, _ succession: LoopSuccession<Event>) {
        while true {
            let waiting = old.contents.withLock { before -> [(key: Key, event: Event)] in
                let waiting = before.successor?.waiting ?? []
                before.successor?.waiting = waiting.isEmpty ? nil : []
                return waiting
            }
            guard !waiting.isEmpty else { return }
            for (key, event) in waiting { _ = take(event, to: key, by: succession.event) }
        }
    }

    private func take(_ event: Event, to key: Key, by translate: (Event) -> Event?) -> KeyedEmitResult {
        guard let event = translate(event) else {
            contents.withLock { $0.counters.discarded += 1 }
            return .stopped
        }
        return emit(event, to: key)
    }

    /// An event for loops that have stopped: if others have taken their place, it is for those.
    @usableFromInline
    func passOn(_ event: Event, to key: Key) -> KeyedEmitResult {
        let (result, successor) = contents.withLock { contents -> (KeyedEmitResult, Successor?) in
            guard contents.successor?.waiting?.append((key, event)) == nil else { return (.queued, nil) }
            return (.stopped, contents.successor)
        }
        guard let successor else { return result }
        return successor.core.take(event, to: key, by: successor.event)
    }
}

extension KeyedLoops {
    /// Has these loops continue the loops of `other`, each with its events and runs, as `Spin.loop(inPlaceOf:)` does.
    /// They keep their order, and `other` is over: it can be read until it is released.
    ///
    /// The executors of both must be held, and no code may perform an event. Nothing may have happened in these loops.
    /// Later events for `other` come here.
    ///
    /// - Parameters:
    ///   - succession: Maps events and feedbacks of the other loops to those of these.
    ///   - state: Converts the state of a loop.
    ///   - kept: Converts the last state of a loop that has ended; nil: it is not kept any longer.
    /// - Returns: A function that cancels the effects that are not continued. The caller must call it once, before it
    ///   releases the executor of these loops.
    package func takePlace(
        of other: KeyedLoops, _ succession: LoopSuccession<Event>, state: (Key, State) -> State,
        kept: (Key, State) -> State?
    ) -> @Sendable () -> Void {
        core.takePlace(of: other.core, succession, state: state, kept: kept)
    }

    /// The states of all loops, in the order in which they were made.
    package var states: [(key: Key, state: State)] { core.states }
}
