import App
import HostLoop
import Records

extension LoopCounters {
    /// `{"loop": …, "steps": …, …}`; `drops` is the sum of `late`, `dropped` and `droppedStarts`.
    func json(ofLoop name: String) -> Value {
        .record([
            ("loop", .string(name)), ("steps", .count(Int(steps))),
            ("events", .count(Int(steps + unhandled))),
            ("unhandled", .count(Int(unhandled))), ("withdrawn", .count(Int(withdrawn))),
            ("discarded", .count(Int(discarded))),
            ("drops", .count(Int(late + dropped + droppedRequests))), ("late", .count(Int(late))),
            ("dropped", .count(Int(dropped))), ("droppedStarts", .count(Int(droppedRequests))),
            ("refused", .count(Int(refused))), ("faults", .count(Int(faults))),
        ])
    }
}

extension AppCounters {
    /// `{"app": …, "steps": …, …}`
    func json(ofApp name: String) -> Value {
        .record([
            ("app", .string(name)), ("steps", .count(steps)), ("events", .count(events)),
            ("unhandled", .count(events - steps)), ("withdrawn", .count(withdrawn)),
            ("discarded", .count(discarded)), ("drops", .count(drops)),
            ("lostMessages", .count(lostMessages)), ("faults", .count(faults)), ("swaps", .count(swaps)),
            ("refusedSwaps", .count(refusedSwaps)), ("failedSwaps", .count(failedSwaps)),
            ("rollBacks", .count(rollBacks)),
        ])
    }
}

extension Value {
    fileprivate static func count(_ number: Int) -> Value { .int(Int64(number)) }
}
