import HostLoop

/// Operators that make at most one value of each value. They are synchronous and keep the order. `send` waits
/// while the end of the flow has no room. Each subscription starts with fresh state. An error that a function
/// throws fails the flow and cancels its source.
extension Flow {
    /// Transforms each value.
    public func map<Output>(_ transform: @escaping @Sendable (Value) throws -> Output) -> Flow<Output> {
        transformed { { .value(try transform($0)) } }
    }

    /// Emits the values for which `isIncluded` returns true.
    public func filter(_ isIncluded: @escaping @Sendable (Value) throws -> Bool) -> Flow {
        transformed { { try isIncluded($0) ? .value($0) : .nothing } }
    }

    /// Transforms each value and drops nil results.
    public func compactMap<Output>(
        _ transform: @escaping @Sendable (Value) throws -> Output?
    ) -> Flow<Output> {
        transformed { { try transform($0).map { .value($0) } ?? .nothing } }
    }

    /// Accumulates: makes each result from the previous result, which is `initial` at first, and the value.
    ///
    /// It emits every result, but not `initial`. Use `prepend` to emit `initial` as well.
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

    /// Drops a value if `areEqual` returns true for the previously emitted value and this one.
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

    /// Emits at most the first `count` values. After the last of them it completes and cancels its source.
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

    /// Drops the first `count` values.
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

    /// Calls `body` with each value before the value is emitted.
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
    /// Drops a value that equals the previously emitted value.
    public func removeDuplicates() -> Flow {
        removeDuplicates(by: ==)
    }
}
