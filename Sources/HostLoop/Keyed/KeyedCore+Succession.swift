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
        let (instances, timer) = old.contents.withLock { before -> ([Instance], Cancellation?) in
            (before.isStopped, before.next) = (true, .coming([]))
            defer { before.timer = nil }
            return (before.table.all, before.timer)
        }
        timer?.cancel()
        inherit(old, kept)
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

    /// Takes over what is known of loops that have ended.
    private func inherit(_ old: KeyedCore, _ state: (Key, State) -> State?) {
        var (kept, counters, past, last) = old.contents.withLock {
            ($0.kept, $0.counters, $0.past, $0.table.last)
        }
        kept.convert(state)
        contents.withLock { [kept] contents in
            (contents.kept, contents.counters, contents.past) = (kept, counters, past)
            contents.table.last = last
        }
    }

    /// Takes the events that wait in `old`, until there are none. Later ones come at once.
    private func takeEvents(of old: KeyedCore, _ succession: LoopSuccession<Event>) {
        while true {
            let waiting = old.contents.withLock { before -> [(key: Key, event: Event)] in
                guard case .coming(let waiting) = before.next else { return [] }
                before.next = waiting.isEmpty ? .core(self, event: succession.event) : .coming([])
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
        let (result, next) = contents.withLock { contents -> (KeyedEmitResult, Next) in
            switch contents.next {
            case .coming(var waiting):
                // The list is not shared meanwhile, which would copy it.
                contents.next = .none
                waiting.append((key, event))
                contents.next = .coming(waiting)
                return (.queued, .none)
            case .none, .core: return (.stopped, contents.next)
            }
        }
        guard case .core(let core, let translate) = next else { return result }
        return core.take(event, to: key, by: translate)
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
