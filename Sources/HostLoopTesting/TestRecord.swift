import HostLoop

/// The observer of a test's loop: keeps the log and wakes waiting tests.
final class TestRecord<State: Sendable, Event: Sendable>: LoopObserver {
    typealias Log = TestLog<State, Event>

    private struct Waiter: Sendable {
        var number: UInt64
        /// Called with the lock held, so it must never be the user's code.
        var isMet: @Sendable (Log) -> Bool
        var resume: @Sendable () -> Void
        /// Ends the wait at the time limit.
        var timer: Cancellation?
    }

    private struct Storage: Sendable {
        var log = Log()
        var waiters: [Waiter] = []
        var issued: UInt64 = 0
    }

    private let storage = Lock(Storage())

    var log: Log { storage.withLock { $0.log } }

    // MARK: - For the test

    /// Removes the first `count` entries.
    func removeFirst(_ count: Int) {
        let removed = storage.withLock { storage in
            defer { storage.log.entries.removeFirst(count) }
            return storage.log.entries.prefix(count)
        }
        withExtendedLifetime(removed) {}
    }

    /// Removes the fault at `index`.
    func removeFault(_ index: Int) {
        let removed = storage.withLock { $0.log.faults.remove(at: index) }
        withExtendedLifetime(removed) {}
    }

    /// Allows the running effects to continue after the end of the test.
    func excuseRunning() {
        storage.withLock { $0.log.excused.formUnion($0.log.running.map(\.run)) }
    }

    /// Calls `resume` once: when the log meets the condition, which may be at once, or at the time limit.
    func whenMet(
        _ isMet: @escaping @Sendable (Log) -> Bool, limit: TimeLimit, _ resume: @escaping @Sendable () -> Void
    ) {
        let number = storage.withLock { storage -> UInt64? in
            guard !isMet(storage.log) else { return nil }
            storage.issued += 1
            storage.waiters.append(Waiter(number: storage.issued, isMet: isMet, resume: resume))
            return storage.issued
        }
        guard let number else { return resume() }
        let timer = limit.clock.schedule(at: limit.clock.now.advanced(by: limit.duration)) { [weak self] in
            self?.expire(number)
        }
        let waits = storage.withLock { storage in
            guard let index = storage.waiters.firstIndex(where: { $0.number == number }) else { return false }
            storage.waiters[index].timer = timer
            return true
        }
        if !waits { timer.cancel() }
    }

    private func expire(_ number: UInt64) {
        let waiter = storage.withLock { storage in
            storage.waiters.firstIndex { $0.number == number }.map { storage.waiters.remove(at: $0) }
        }
        waiter?.resume()
    }

    // MARK: - For the loop

    func stepped(_ step: LoopStep<State, Event>) { update { $0.entries.append(.step(step)) } }

    func unhandled(_ event: Event, from origin: EventOrigin) {
        update { $0.entries.append(.unhandled(event, origin)) }
    }

    func effectStarted(_ run: EffectRun, by event: Event?) {
        update { $0.running.append(Log.Running(run: run, cause: event)) }
    }

    func effectEnded(_ run: EffectRun) { end(run) }

    func effectCancelled(_ run: EffectRun) { end(run) }

    func faulted(_ fault: LoopFault) {
        update { log in
            if fault.source == .reducer {
                log.entries.append(.failed(fault))
            } else {
                log.faults.append(fault)
            }
        }
    }

    func quiescent() { update(isQuiescent: true) { _ in } }

    func stopped(_ reason: StopReason) { update { $0.stopped = reason } }

    private func end(_ run: EffectRun) {
        update { log in
            guard let index = log.running.firstIndex(where: { $0.run == run }) else { return }
            log.running.remove(at: index)
        }
    }

    private func update(isQuiescent: Bool = false, _ change: (inout Log) -> Void) {
        let met = storage.withLock { storage in
            storage.log.isQuiescent = isQuiescent
            change(&storage.log)
            let log = storage.log
            let met = storage.waiters.filter { $0.isMet(log) }
            storage.waiters.removeAll { waiter in met.contains { $0.number == waiter.number } }
            return met
        }
        for waiter in met {
            waiter.timer?.cancel()
            waiter.resume()
        }
    }
}
