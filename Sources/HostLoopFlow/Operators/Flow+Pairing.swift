import HostLoop

/// Operators that pair the values of two flows. Values come one at a time, from any threads. The first failure
/// fails the flow and cancels the other one.
extension Flow {
    /// A flow of pairs of the newest values of both flows: one for each value, once both have a value. It completes
    /// when both have.
    public func combineLatest<Other: Sendable>(_ other: Flow<Other>) -> Flow<(Value, Other)> {
        Flow<FlowSide<Value, Other>>.merge(left(), other.right()).transformed {
            let newest = Lock(FlowPair<Value, Other>())
            return { side in
                let (before, pair) = newest.withLock {
                    pair -> (FlowPair<Value, Other>, FlowPair<Value, Other>) in
                    let before = pair
                    switch side {
                    case .left(let value): pair.left = value
                    case .right(let value): pair.right = value
                    case .leftEnd, .rightEnd: return (before, FlowPair())
                    }
                    return (before, pair)
                }
                // The value before is released outside the lock.
                withExtendedLifetime(before) {}
                guard let left = pair.left, let right = pair.right else { return .nothing }
                return .value((left, right))
            }
        }
    }

    /// A flow of pairs: the first values of both flows, then the second ones, and so on. It completes when one flow
    /// has completed and its values are all paired. The values of the faster flow wait, without a limit.
    public func zip<Other: Sendable>(_ other: Flow<Other>) -> Flow<(Value, Other)> {
        Flow<FlowSide<Value, Other>>.merge(left(), other.right()).transformed {
            let waiting = Lock(FlowZip<Value, Other>())
            return { side in waiting.withLock { $0.take(side) } }
        }
    }

    /// A flow of this flow's values, each with the newest value of `other`. Values that come before the first of
    /// `other` are left out. It completes with this flow.
    public func withLatestFrom<Other: Sendable>(_ other: Flow<Other>) -> Flow<(Value, Other)> {
        Flow<FlowSide<Value, Other>>.merge(other.right(), left()).transformed {
            let newest = Lock<Other?>(nil)
            return { side in
                switch side {
                case .left(let value): return newest.withLock { $0 }.map { .value((value, $0)) } ?? .nothing
                case .right(let value): newest.exchange(value)
                case .leftEnd: return .end
                case .rightEnd: break
                }
                return .nothing
            }
        }
    }

    private func left<Other>() -> Flow<FlowSide<Value, Other>> {
        map { .left($0) }.append(.just(.leftEnd))
    }

    private func right<Other>() -> Flow<FlowSide<Other, Value>> {
        map { .right($0) }.append(.just(.rightEnd))
    }
}

/// A value or the completion of one of two flows.
private enum FlowSide<Left: Sendable, Right: Sendable>: Sendable {
    case left(Left)
    case right(Right)
    case leftEnd
    case rightEnd
}

/// The newest values of two flows.
private struct FlowPair<Left: Sendable, Right: Sendable>: Sendable {
    var left: Left?
    var right: Right?
}

/// The values that wait for a partner.
private struct FlowZip<Left: Sendable, Right: Sendable>: Sendable {
    var left = FIFO<Left>()
    var right = FIFO<Right>()
    var isLeftOver = false
    var isRightOver = false

    mutating func take(_ side: FlowSide<Left, Right>) -> FlowStep<(Left, Right)> {
        switch side {
        case .left(let value): left.append(value)
        case .right(let value): right.append(value)
        case .leftEnd: isLeftOver = true
        case .rightEnd: isRightOver = true
        }
        guard !left.isEmpty, !right.isEmpty, let first = left.popFirst(), let second = right.popFirst() else {
            return isOver ? .end : .nothing
        }
        return isOver ? .last((first, second)) : .value((first, second))
    }

    private var isOver: Bool { isLeftOver && left.isEmpty || isRightOver && right.isEmpty }
}
