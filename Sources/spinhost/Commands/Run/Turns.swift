import HostLoop

/// Does one piece of work at a time, in the order of the calls.
final class Turns: Sendable {
    private let last = Lock<Task<Void, Never>?>(nil)

    /// Waits for the work before, and does this one.
    func take<Result: Sendable>(_ work: @escaping @Sendable () async -> Result) async -> Result {
        let task = last.withLock { last in
            let task = Task { [last] in
                await last?.value
                return await work()
            }
            last = Task { _ = await task.value }
            return task
        }
        return await task.value
    }
}
