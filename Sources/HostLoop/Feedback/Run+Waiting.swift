/// Emissions of threads that may block.
extension Run {
    /// Queues events as one entry like `emit(contentsOf:)`, but blocks the calling thread while a bounded mailbox has no
    /// room for them, whatever its overflow.
    ///
    /// For threads of one's own, such as one that reads a file faster than the loop takes its lines. Those who wait are
    /// served in order, `send` included. A thread goes on once half of the room is free, or as many events were taken:
    /// so it does not wake for each. Ends at once when the run is cancelled or the loop stops.
    /// - Parameter limit: how long to wait, by the loop's clock; nil is for ever.
    /// - Returns: `.queued`; `.full` after `limit`, and for more events than the mailbox can ever hold; `.cancelled`
    ///   and `.stopped` as `emit`. Anything but `.queued` means that nothing was queued.
    /// - Precondition: the thread does not take a loop's steps: see `LoopExecutor.isLooping`. Nor may it be one of
    ///   Swift's cooperative pool, or the clock's.
    @discardableResult
    public func emit(contentsOf events: some Sequence<Event>, waiting limit: Duration?) -> EmitResult {
        precondition(
            !LoopExecutor.isLooping,
            "an effect waited for room on the executor of a loop, which alone could make it: use `emit` there"
        )
        var rest = ContiguousArray(events)
        guard !rest.isEmpty else { return isCancelled ? .cancelled : .queued }
        let first = rest.removeFirst()
        let wait = RoomWait()
        if let result = target.leave(first, rest: rest.isEmpty ? nil : rest, from: number, waiting: wait) {
            return result
        }
        let isOver = CancelHandler.Spent()
        // A modifier may end the run before the mailbox knows.
        target.onCancel(number, CancelHandler(until: isOver) { wait.giveUp(.cancelled) })
        let timer = limit.map { limit in
            clock.schedule(at: clock.now.advanced(by: limit)) { wait.giveUp(.full) }
        }
        defer {
            isOver.set()
            timer?.cancel()
        }
        return wait.wait()
    }
}
