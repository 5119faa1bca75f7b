/// How loops leave, and how all of them end.
extension KeyedCore {
    /// A loop has stopped: its key may begin again. Does nothing when the loop has left before.
    ///
    /// - Parameter reason: Nil if the loop has not told it yet.
    @usableFromInline
    func leave(_ instance: Instance, _ reason: StopReason?) {
        let reason = reason ?? instance.loop.core.inbox.withLock { $0.stopReason }
        // Read here: it may wait for a reduction.
        let state = reason == .until && rules.keep > .zero ? instance.loop.state : nil
        let now = state == nil ? nil : spin.plan.clock.now
        let (isFirst, released) = contents.withLock { contents -> (Bool, State?) in
            guard !instance.hasLeft else { return (false, nil) }
            instance.hasLeft = true
            _ = contents.table.remove(instance.key)
            contents.counters.stopped += 1
            guard let state, let now, !contents.isStopped else { return (true, nil) }
            let until = now.advanced(by: rules.keep)
            let replaced = contents.kept.keep(state, of: instance.key, until: until)
            return (true, replaced)
        }
        withExtendedLifetime(released) {}
        guard isFirst else { return }
        if state != nil { startTimer() }
        instance.loop.ended.notify { [self] in instanceEnded() }
    }

    private func instanceEnded() {
        let handlers = contents.withLock { contents in
            contents.unended -= 1
            return takeEndHandlers(&contents)
        }
        for handler in handlers { handler() }
    }

    /// The handlers, once, when the end is reached.
    private func takeEndHandlers(_ contents: inout Contents) -> [@Sendable () -> Void] {
        guard contents.isStopped, contents.unended == 0 else { return [] }
        defer { contents.endHandlers = [] }
        return contents.endHandlers
    }

    func whenEnded(_ body: @escaping @Sendable () -> Void) {
        let handlers = contents.withLock { contents in
            contents.endHandlers.append(body)
            return takeEndHandlers(&contents)
        }
        for handler in handlers { handler() }
    }

    func stop(_ key: Key) -> Bool {
        guard let instance = instance(of: key) else { return false }
        instance.loop.stop()
        leave(instance, .stopped)
        return true
    }

    func stop() {
        let (instances, timer, kept) = contents.withLock {
            contents -> ([Instance], Cancellation?, KeptStates<Key, State>) in
            contents.isStopped = true
            defer { (contents.timer, contents.kept) = (nil, KeptStates()) }
            return (contents.table.all, contents.timer, contents.kept)
        }
        timer?.cancel()
        withExtendedLifetime(kept) {}
        for instance in instances {
            instance.loop.stop()
            leave(instance, .stopped)
        }
        let handlers = contents.withLock { takeEndHandlers(&$0) }
        for handler in handlers { handler() }
    }

    // MARK: - States that are kept

    /// Starts the timer for the oldest state that is kept, unless it runs.
    private func startTimer() {
        let next = contents.withLock { contents -> LoopInstant? in
            guard contents.timer == nil, let next = contents.kept.next else { return nil }
            // The timer is set below. Until then, no other thread may set one.
            contents.timer = Cancellation {}
            return next
        }
        guard let next else { return }
        let timer = spin.plan.clock.schedule(at: next) { [self] in timeIsOver() }
        let isWanted = contents.withLock { contents in
            if contents.timer != nil { contents.timer = timer }
            return contents.timer != nil
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
