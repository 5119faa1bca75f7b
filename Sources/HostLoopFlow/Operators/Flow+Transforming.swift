import HostLoop

/// Operators that make at most one value of each. They are synchronous, keep the order, let `send` wait for
/// the end of the flow, and start anew with each subscription. What a function throws fails the flow and
/// cancels its source.
extension Flow {
    /// A flow of what `transform` makes of each value.
    public func map<Output>(_ transform: @escaping @Sendable (Value) throws -> Output) -> Flow<Output> {
        transformed { { .value(try transform($0)) } }
    }

    /// A flow of the values that pass `isIncluded`.
    public func filter(_ isIncluded: @escaping @Sendable (Value) throws -> Bool) -> Flow {
        transformed { { try isIncluded($0) ? .value($0) : .nothing } }
    }

    /// A flow of what `transform` makes of each value, without nils.
    public func compactMap<Output>(
        _ transform: @escaping @Sendable (Value) throws -> Output?
    ) -> Flow<Output> {
        transformed { { try transform($0).map { .value($0) } ?? .nothing } }
    }

    /// A flow of results: what `next` makes of the result before, first `initial`, and each value. `initial`
    /// itself is not handed over; `prepend` it if it should be.
    public func scan<Result: Sendable>(
        _ initial: Result, _ next: @escaping @Sendable (Result, Value) throws -> Result
    ) -> Flow<Result> {
        transformed {
            let result = Lock(initial)
            return { value in
                let made = try next(result.withLock { $0 }, value)
                result.exchange(made)
                return .value(made)
            }
        }
    }

    /// A flow without the values for which `areEqual` is true of the value handed over before and this one.
    public func removeDuplicates(
        by areEqual: @escaping @Sendable (Value, Value) throws -> Bool
    ) -> Flow {
        transformed {
            let last = Lock<Value?>(nil)
            return { value in
                if let before = last.withLock({ $0 }), try areEqual(before, value) { return .nothing }
                last.exchange(value)
                return .value(value)
            }
        }
    }

    /// A flow of at most the first `count` values; completes with the last of them and cancels its source
    /// then.
    public func prefix(_ count: Int) -> Flow {
        precondition(count >= 0, "the first values of a flow are counted from zero")
        guard count > 0 else { return .none }
        return transformed {
            let left = Lock(count)
            return { value in
                let left = left.withLock { left in
                    left -= 1
                    return left
                }
                return left > 0 ? .value(value) : left == 0 ? .last(value) : .nothing
            }
        }
    }

    /// A flow without the first `count` values.
    public func dropFirst(_ count: Int = 1) -> Flow {
        precondition(count >= 0, "the first values of a flow are counted from zero")
        return transformed {
            let left = Lock(count)
            return { value in
                let isDropped = left.withLock { left in
                    defer { left = Swift.max(left - 1, 0) }
                    return left > 0
                }
                return isDropped ? .nothing : .value(value)
            }
        }
    }

    /// The same flow, with `body` called with each value before that is handed over.
    public func onValue(_ body: @escaping @Sendable (Value) throws -> Void) -> Flow {
        transformed {
            { value in
                try body(value)
                return .value(value)
            }
        }
    }
}

extension Flow where Value: Equatable {
    /// A flow without the values that equal the one handed over before.
    public func removeDuplicates() -> Flow {
        removeDuplicates(by: ==)
    }
}
