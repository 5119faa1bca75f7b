@testable import Journal
import Records

/// A naive fold of a journal's entries, which the tests compare with `JournalState`.
struct JournalModel {
    struct Run {
        var number: UInt64
        var step: UInt64
        var events: Int?
        var cause: (state: Record, event: Int, payload: Record)?
    }

    struct Feedback {
        var latest: UInt64 = 0
        var open: [Run] = []
        var waiting: [Run] = []
        var messages: [(position: UInt64, events: Int)] = []
    }

    struct Loop {
        var state: Record
        var step: UInt64 = 0
        var position: UInt64 = 0
        var time: Int64 = 0
        var entered: Int64 = 0
        var isDelivered = false
        var made: (event: Int, payload: Record)?
        var preceding: [Run] = []
        var end: Bool?
        var feedbacks: [Feedback]
    }

    let schema: AppSchema
    var loops: [Loop] = []
    var messages: [UInt64: (gear: Int, message: Int, payload: Record, receivers: Set<Int>)] = [:]
    var kept: [String: [UInt8]] = [:]

    mutating func reduced(_ loop: Int, _ feedback: Int, _ run: UInt64) {
        guard feedback >= 0 else { return }
        var past = loops[loop].feedbacks[feedback]
        if let first = past.messages.first {
            past.messages[0].events -= 1
            if first.events == 1 {
                past.messages.removeFirst()
                take(first.position, by: loop)
            }
        }
        if let index = past.open.firstIndex(where: { $0.number == run }), let events = past.open[index].events
        {
            past.open[index].events = events - 1
            if events == 1 { past.open.remove(at: index) }
        }
        loops[loop].feedbacks[feedback] = past
    }

    mutating func take(_ position: UInt64, by loop: Int) {
        messages[position]?.receivers.remove(loop)
        if messages[position]?.receivers.isEmpty == true { messages[position] = nil }
    }

    /// A request for the present state.
    func request(_ loop: Int, _ feedback: Int) -> Run {
        let past = loops[loop]
        let isOnEvents = schema.loops[loop].feedbacks[feedback].trigger == .event
        if var first = past.preceding.first {
            if !isOnEvents { first.cause = nil }
            return first
        }
        return Run(
            number: 0, step: past.step, events: nil,
            cause: isOnEvents ? past.made.map { (past.state, $0.event, $0.payload) } : nil)
    }

    /// Another step follows before the feedbacks see the present state.
    mutating func precedes(_ loop: Int) {
        let past = loops[loop]
        let cause = past.made.map { (past.state, $0.event, $0.payload) }
        loops[loop].preceding.append(Run(number: 0, step: past.step, events: nil, cause: cause))
    }

    mutating func began(_ loop: Int, _ feedback: Int, _ number: UInt64, events: Int?, hasWaited: Bool) {
        var run = hasWaited ? loops[loop].feedbacks[feedback].waiting.removeFirst() : request(loop, feedback)
        (run.number, run.events) = (number, events)
        loops[loop].feedbacks[feedback].latest = max(loops[loop].feedbacks[feedback].latest, number)
        if events != 0 { loops[loop].feedbacks[feedback].open.append(run) }
    }

    mutating func sent(_ position: UInt64, gear: Int, message: Int, _ payload: Record) {
        let reception = LoopSchema.Reception(gear: gear, message: message)
        let receivers = Set(loops.indices.filter { schema.loops[$0].receives.contains(reception) })
        if !receivers.isEmpty { messages[position] = (gear, message, payload, receivers) }
    }

    /// All of it as text.
    var lines: [String] {
        func text(_ run: Run) -> String {
            let cause = run.cause.map { "\($0.state.value.json) \($0.event) \($0.payload.value.json)" }
            return "\(run.number) for \(run.step), \(run.events ?? -1) events, \(cause ?? "-")"
        }
        var lines: [String] = []
        for (index, loop) in loops.enumerated() {
            let made = loop.made.map { "\($0.event) \($0.payload.value.json)" } ?? "-"
            lines.append("loop \(index) \(loop.state.value.json)")
            lines.append("#\(loop.step) @\(loop.position) \(loop.time) \(loop.entered) \(loop.isDelivered)")
            lines.append("\(String(describing: loop.end)) \(made)")
            lines += loop.preceding.map { "unseen \(text($0))" }
            for past in loop.feedbacks {
                lines.append("run \(past.latest)")
                lines += past.open.map { "open \(text($0))" }
                lines += past.waiting.map { "waits \(text($0))" }
                lines += past.messages.map { "received @\($0.position) \($0.events)" }
            }
        }
        for (position, message) in messages.sorted(by: { $0.key < $1.key }) {
            let (payload, receivers) = (message.payload.value.json, message.receivers.sorted())
            lines.append("message @\(position) \(message.gear) \(message.message) \(payload) \(receivers)")
        }
        lines += kept.sorted { $0.key < $1.key }.map { "kept \($0) \($1)" }
        return lines
    }
}

extension JournalModel {
    /// What a fold says, for a comparison.
    init(_ state: JournalState) {
        func run(_ run: LoopPast.OpenRun) -> Run {
            Run(
                number: run.number, step: run.step, events: run.events,
                cause: run.cause.map { ($0.state, $0.event, $0.payload) })
        }
        schema = state.epoch?.schema ?? AppSchema(loops: [], gears: [])
        loops = state.loops.map { past in
            Loop(
                state: past.state, step: past.step, position: past.position, time: past.time,
                entered: past.entered, isDelivered: past.isDelivered,
                made: past.event.map { ($0, past.payload!) },
                preceding: past.preceding.map {
                    Run(
                        number: 0, step: $0.step, events: nil,
                        cause: ($0.cause.state, $0.cause.event, $0.cause.payload))
                }, end: past.end,
                feedbacks: past.feedbacks.map {
                    Feedback(
                        latest: $0.latest, open: $0.open.map(run), waiting: $0.waiting.map(run),
                        messages: $0.messages)
                })
        }
        messages = state.messages.mapValues { ($0.gear, $0.message, $0.payload, $0.receivers) }
        kept = state.kept
    }
}

extension JournalModel {
    /// The lines that are others, with what they should be.
    func differences(from expected: [String]) -> [String] {
        let lines = lines
        guard lines.count == expected.count else { return lines + ["instead of"] + expected }
        return zip(lines, expected).filter { $0 != $1 }.map { "\($0) instead of \($1)" }
    }
}
