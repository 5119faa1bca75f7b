import HostLoop

/// Operators that make one value of many. What a function throws fails the flow and cancels its source.
extension Flow {
    /// A flow of one value when this flow has completed: the result of `next` for all values, first of `initial`.
    public func reduce<Result: Sendable>(
        _ initial: Result, _ next: @escaping @Sendable (Result, Value) throws -> Result
    ) -> Flow<Result> {
        reduce(into: initial) { result, value in result = try next(result, value) }
    }

    /// The same with a function that changes the result in place.
    public func reduce<Result: Sendable>(
        into initial: Result, _ update: @escaping @Sendable (inout Result, Value) throws -> Void
    ) -> Flow<Result> {
        Flow<Result> { start(FlowFold($0, initial, update)) }
    }

    /// A flow of one value when this flow has completed: all its values in order.
    public func collect() -> Flow<[Value]> {
        reduce(into: []) { $0.append($1) }
    }

    /// A flow of at most the first value; it cancels its source then.
    public func first() -> Flow { prefix(1) }

    /// A flow of at most the first value that passes `isIncluded`; it cancels its source then.
    public func first(where isIncluded: @escaping @Sendable (Value) throws -> Bool) -> Flow {
        filter(isIncluded).prefix(1)
    }

    /// A flow of the last value, if there is one, when this flow has completed.
    public func last() -> Flow {
        reduce(into: Value?.none) { $0 = $1 }.compactMap { $0 }
    }
}

/// The sink of `reduce`.
// Safe because it adds an immutable property and a lock only.
private final class FlowFold<Input: Sendable, Result: Sendable>: FlowStage<Input, Result>, @unchecked Sendable
{
    private let update: @Sendable (inout Result, Input) throws -> Void
    /// Nil while `update` changes it.
    private let result: Lock<Result?>

    init(
        _ output: FlowSink<Result>, _ initial: Result,
        _ update: @escaping @Sendable (inout Result, Input) throws -> Void
    ) {
        self.update = update
        result = Lock(initial)
        super.init(output)
    }

    override func receive(_ value: Input) -> EmitResult {
        guard !isCancelled else { return .cancelled }
        // No lock is held while `update` runs. The source emits one value at a time.
        guard var changed = result.withLock({ $0.take() }) else { return .queued }
        defer { result.exchange(changed) }
        do {
            try update(&changed, value)
        } catch {
            if close() { output.fail(error) }
        }
        return .queued
    }

    override func complete(_ error: (any Error)?) {
        if error == nil, let result = result.exchange(nil) { output.emit(result) }
        output.end(error)
    }
}
