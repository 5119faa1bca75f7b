/// How loops leave, and how all of them end.
extension KeyedCore {
    /// Takes a loop that stops out of the table: its key may begin again.
    @usableFromInline
    func remove(_ instance: Instance) {
        let removed = contents.withLock { remove(instance, &$0) }
        withExtendedLifetime(removed) {}
    }

    private func remove(_ instance: Instance, _ contents: inout Contents) -> Instance? {
        guard contents.table[instance.key] === instance else { return nil }
        return remove(instance.key, &contents)
    }

    /// Takes the loop of a key out of the table. Until it has ended, it is one of those that are ending.
    func remove(_ key: Key, _ contents: inout Contents) -> Instance? {
        // Loops that others continue stay where they can be read.
        guard !contents.isStopped, let instance = contents.table.remove(key) else { return nil }
        contents.ending[instance.number] = instance.loop
        return instance
    }

    /// A loop has stopped; called once, on the thread that drains it.
    func stopped(_ instance: Instance, _ reason: StopReason) {
        let loop = instance.loop!
        let state = reason == .until && rules.keep > .zero ? loop.currentState : nil
        let until = state == nil ? nil : spin.plan.clock.now.advanced(by: rules.keep)
        let discarded = loop.counters.discarded
        let released = contents.withLock { contents -> (Instance?, State?) in
            let removed = remove(instance, &contents)
            // A loop that the key has begun meanwhile has a state of its own.
            guard let state, let until, !contents.isStopped, contents.table[instance.key] == nil else {
                return (removed, nil)
            }
            return (removed, contents.kept.keep(state, of: instance.key, instance.number, until: until))
        }
        withExtendedLifetime(released) {}
        count { contents in
            contents.counters.stopped += 1
            contents.counters.discarded += discarded
        }
        if state != nil { startTimer() }
        LoopEnd(source: loop).notify { [self, number = instance.number] in ended(number) }
    }

    func ended(_ number: UInt64) {
        let (loop, handlers) = contents.withLock { contents -> (LoopCore<State, Event>?, _) in
            contents.unended -= 1
            return (contents.ending.removeValue(forKey: number), takeEndHandlers(&contents))
        }
        if let counters = loop?.counters { count { $0.past += counters } }
        for handler in handlers { handler() }
    }

    /// Counts in these loops, or in those that have taken their place.
    private func count(_ body: (inout Contents) -> Void) {
        let successor = contents.withLock { contents -> KeyedCore? in
            if contents.successor == nil { body(&contents) }
            return contents.successor?.core
        }
        successor?.count(body)
    }

    /// The handlers, once, when the end is reached.
    private func takeEndHandlers(_ contents: inout Contents) -> [@Sendable () -> Void] {
        guard contents.isStopped, contents.unended == 0 else { return [] }
        defer { contents.endHandlers = [] }
        return contents.endHandlers
    }

    @usableFromInline
    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let handlers = contents.withLock { contents in
            contents.endHandlers.append(body)
            return takeEndHandlers(&contents)
        }
        for handler in handlers { handler() }
    }

    @usableFromInline var running: [EffectRun] {
        let (instances, ending) = contents.withLock { ($0.table.all, $0.ending) }
        return instances.flatMap(\.loop.running) + ending.values.flatMap(\.running)
    }

    func stop(_ reason: StopReason) {
        let (instances, timer, kept) = contents.withLock {
            contents -> ([Instance], Cancellation?, KeptStates<Key, State>) in
            // Others may continue the loops already.
            let instances = contents.isStopped ? [] : contents.table.all
            contents.isStopped = true
            for instance in instances { contents.ending[instance.number] = instance.loop }
            defer { (contents.table, contents.timer, contents.kept) = (KeyedTable(), nil, KeptStates()) }
            return (instances, contents.timer, contents.kept)
        }
        timer?.cancel()
        withExtendedLifetime(kept) {}
        for instance in instances {
            instance.loop.stop(reason)
        }
        let handlers = contents.withLock { takeEndHandlers(&$0) }
        for handler in handlers { handler() }
    }

    // MARK: - States that are kept

    /// Starts the timer for the oldest state that is kept, unless it runs.
    func startTimer() {
        let started = contents.withLock { contents -> (instant: LoopInstant, number: UInt64)? in
            guard contents.timer == nil, let next = contents.kept.next else { return nil }
            // Until the timer is set below, no other thread may set one.
            contents.timer = Cancellation {}
            contents.timers += 1
            return (next, contents.timers)
        }
        guard let (instant, number) = started else { return }
        let timer = spin.plan.clock.schedule(at: instant) { [self] in timeIsOver() }
        let isWanted = contents.withLock { contents in
            // It may be over already.
            guard contents.timer != nil, contents.timers == number else { return false }
            contents.timer = timer
            return true
        }
        if !isWanted { timer.cancel() }
    }

    private func timeIsOver() {
        let now = spin.plan.clock.now
        let released = contents.withLock { contents in
            contents.timer = nil
            return contents.kept.removeAll(until: now)
        }
        withExtendedLifetime(released) {}
        startTimer()
    }
}
