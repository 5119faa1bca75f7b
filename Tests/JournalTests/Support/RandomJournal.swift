@testable import Journal
import Records
import TestSupport

/// A journal of random entries, with what a naive model says after each of them.
struct RandomJournal {
    let journal: TestJournal
    private(set) var model: JournalModel
    /// By position: right after the entry, and after the notes that follow it.
    private(set) var atEntry: [[String]] = [[]]
    private(set) var afterNotes: [[String]] = [[]]
    /// What the journal says after each chunk.
    private(set) var chunks: [JournalState] = []
    private var generator: SeededGenerator
    private var folded = JournalState()

    init(seed: UInt64, entries: Int) throws {
        generator = SeededGenerator(seed: seed)
        let schema = generator.schema(loops: [1, 3, 17][Int(seed % 3)])
        journal = TestJournal(schema)
        model = JournalModel(schema: schema)
        model.loops = schema.loops.map { loop in
            JournalModel.Loop(
                state: Record(loop.state), feedbacks: loop.feedbacks.map { _ in JournalModel.Feedback() })
        }
        mark()
        for index in schema.loops.indices { start(index) }
        for _ in 0..<entries {
            entry()
            if generator.chance(6) { try commit() }
        }
        try commit()
    }

    private mutating func commit() throws {
        try journal.commit()
        guard let chunk = journal.store.chunks.last, chunk.number > UInt64(chunks.count) else { return }
        _ = try folded.apply(chunk)
        chunks.append(folded)
    }

    private mutating func mark() {
        let lines = model.lines
        if journal.position == UInt64(atEntry.count) {
            atEntry.append(lines)
            afterNotes.append(lines)
        }
        afterNotes[Int(journal.position)] = lines
    }

    private mutating func start(_ loop: Int) {
        let state = generator.record(model.schema.loops[loop].state)
        let step = UInt64(generator.below(1000))
        journal.loop(loop, count: 1) { $0.started(state, step: step, time: 1_000_000) }
        (model.loops[loop].state, model.loops[loop].step) = (state, step)
        (model.loops[loop].time, model.loops[loop].entered) = (1_000_000, 1_000_000)
        model.loops[loop].position = journal.position
        mark()
    }

    private mutating func entry() {
        let loop = generator.below(model.loops.count)
        let feedbacks = model.loops[loop].feedbacks.count
        let feedback = generator.below(feedbacks + 1) - 1
        switch generator.below(12) {
        case 0...3: reduce(loop, feedback)
        case 4 where feedback >= 0: send(loop, feedback)
        case 5 where feedback >= 0: receive(loop, feedback)
        case 6 where feedback >= 0: end(loop, feedback)
        case 7 where feedback >= 0:
            journal.note(loop) { $0.asked(feedback: feedback) }
            let request = model.request(loop, feedback)
            model.loops[loop].feedbacks[feedback].waiting.append(request)
        case 8 where feedback >= 0 && generator.chance(4):
            journal.note(loop) { $0.forgot(feedback: feedback) }
            model.loops[loop].feedbacks[feedback].waiting = []
        case 9:
            journal.note(loop) { $0.delivered() }
            if model.loops[loop].preceding.isEmpty {
                model.loops[loop].isDelivered = true
            } else {
                model.loops[loop].preceding.removeFirst()
            }
        case 10: other(loop)
        default:
            if feedback >= 0 { begin(loop, feedback) } else { reduce(loop, feedback) }
        }
        mark()
    }

    private mutating func reduce(_ loop: Int, _ feedback: Int) {
        let schema = model.schema.loops[loop]
        let past = model.loops[loop]
        let event = generator.below(schema.events.count)
        let payload = generator.record(schema.events[event].type)
        let time = past.time + Int64(generator.below(2000)) - 100
        var run: UInt64 = 0
        if feedback >= 0 {
            let open = past.feedbacks[feedback].open
            run = open.isEmpty ? past.feedbacks[feedback].latest : open[generator.below(open.count)].number
        }
        if generator.chance(3) {
            model.loops[loop].time = time
            let why = [Refusal.unhandled, .failed, .withdrawn][generator.below(3)]
            journal.loop(loop, count: 1) {
                $0.refused(event: event, payload, feedback: feedback, run: run, time: time, why)
            }
            model.reduced(loop, feedback, run)
            return
        }
        if past.made != nil, generator.chance(2) {
            journal.note(loop) { $0.precedes() }
            model.precedes(loop)
            mark()
        } else {
            model.loops[loop].preceding = []
        }
        model.loops[loop].time = time
        let state = generator.changed(past.state)
        let isEntered = generator.chance(5)
        journal.loop(loop, count: 1) {
            $0.step(
                event: event, payload, feedback: feedback, run: run, time: time, state: state,
                entered: isEntered)
        }
        if let now = state.caseIndex, isEntered || now != past.state.caseIndex {
            model.loops[loop].entered = time
        }
        (model.loops[loop].state, model.loops[loop].step) = (state, past.step + 1)
        (model.loops[loop].position, model.loops[loop].isDelivered) = (journal.position, false)
        model.loops[loop].made = (event, payload)
        model.reduced(loop, feedback, run)
    }

    private mutating func begin(_ loop: Int, _ feedback: Int) {
        let past = model.loops[loop].feedbacks[feedback]
        let number = past.latest + 1 + UInt64(generator.below(2))
        let events = generator.chance(2) ? nil : Int?.some(generator.below(4))
        let hasWaited = !past.waiting.isEmpty && generator.chance(2)
        journal.note(loop) {
            $0.began(feedback: feedback, run: number, events: events, hasWaited: hasWaited)
        }
        model.began(loop, feedback, number, events: events, hasWaited: hasWaited)
    }

    private mutating func end(_ loop: Int, _ feedback: Int) {
        let open = model.loops[loop].feedbacks[feedback].open
        guard !open.isEmpty else { return }
        let number = open[generator.below(open.count)].number
        journal.note(loop) { $0.ended(feedback: feedback, run: number, .finished) }
        model.loops[loop].feedbacks[feedback].open.removeAll { $0.number == number }
    }

    private mutating func send(_ loop: Int, _ feedback: Int) {
        let gear = generator.below(model.schema.gears.count)
        let message = generator.below(model.schema.gears[gear].messages.count)
        let type = model.schema.gears[gear].messages[message].type
        let payload = generator.record(type)
        journal.write {
            $0.sent(
                loop: loop, feedback: feedback, gear: gear, message: message, payload, by: RecordCoder(type))
        }
        model.sent(journal.position, gear: gear, message: message, payload)
    }

    private mutating func receive(_ loop: Int, _ feedback: Int) {
        let mine = model.messages.filter { $0.value.receivers.contains(loop) }.keys.sorted()
        guard let position = mine.first else { return }
        let events = generator.below(3)
        journal.note(loop) { $0.received(feedback: feedback, position: position, events: events) }
        if events == 0 { return model.take(position, by: loop) }
        model.loops[loop].feedbacks[feedback].messages.append((position, events))
    }

    private mutating func other(_ loop: Int) {
        switch generator.below(4) {
        case 0:
            let (instance, state) = (
                "plugin\(generator.below(3))", Array(repeating: UInt8(9), count: generator.below(40))
            )
            journal.write(count: 0) { $0.kept(instance: instance, state: state) }
            model.kept[instance] = state
        case 1:
            journal.write { $0.fault(loop: loop, time: 5, code: "E104", part: "feedback:a", message: "no") }
        case 2:
            let plugin = Epoch.Plugin(name: "count", version: "2", hash: "ff")
            journal.write { $0.swapped(time: 6, from: "1", to: plugin, isRollBack: true) }
        default:
            let isDone = generator.chance(2)
            journal.loop(loop, count: 1) { $0.finished(time: 2_000_000, isDone: isDone) }
            (model.loops[loop].end, model.loops[loop].time) = (isDone, 2_000_000)
        }
    }
}

extension SeededGenerator {
    /// A random schema with so many loops.
    mutating func schema(loops: Int) -> AppSchema {
        let triggers: [LoopSchema.Feedback.Trigger] = [.receiver, .change, .state, .event, .each, .delay]
        let gears = (0...below(2)).map { gear in
            GearSchema(name: "gear\(gear)", messages: types("message"))
        }
        let messages = gears.enumerated().flatMap { gear, schema in
            schema.messages.indices.map { LoopSchema.Reception(gear: gear, message: $0) }
        }
        let loops = (0..<loops).map { loop in
            LoopSchema(
                name: "loop\(loop)", state: stateType(), events: types("event"),
                feedbacks: (0..<below(4)).map { LoopSchema.Feedback("feedback\($0)", triggers[below(6)]) },
                receives: messages.filter { _ in chance(2) })
        }
        return AppSchema(loops: loops, gears: gears)
    }

    private mutating func types(_ name: String) -> [NamedType] {
        (0...below(3)).map { NamedType("\(name)\($0)", recordType(depth: 2)) }
    }
}
