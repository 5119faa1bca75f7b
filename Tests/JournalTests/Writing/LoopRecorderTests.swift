@testable import Journal
import Records
import Testing

/// What a loop's thread records becomes the entries that an encoder writes by itself.
struct LoopRecorderTests {
    /// Records that own no memory, that own some, and mixtures.
    private static let types = [
        (RecordType([("n", .integer(.i64)), ("small", .integer(.i8))]), RecordType([("n", .integer(.i16))])),
        (RecordType([("n", .integer(.i64)), ("text", .string)]), RecordType([("n", .integer(.i16))])),
        (RecordType([("n", .integer(.i64))]), RecordType([("text", .string)])),
        (RecordType([("n", .integer(.i64)), ("list", .list(.double))]), RecordType([])),
    ]

    private static func loop(_ index: Int) -> LoopSchema {
        LoopSchema(
            name: "main", state: types[index].0,
            events: [NamedType("event", types[index].1), NamedType("tick", RecordType([]))],
            feedbacks: [LoopSchema.Feedback("one", .change), LoopSchema.Feedback("two", .event)], receives: []
        )
    }

    /// A state or payload of a type, for a number.
    private static func record(_ type: RecordType, _ number: Int64) throws -> Record {
        var record = Record(type)
        for field in type.fields {
            switch field.type {
            case .string: try record.set(field.name, to: .string("text \(number)"))
            case .list: try record.set(field.name, to: .list((0..<number).map { .double(Double($0)) }))
            default: try record.set(field.name, to: .int(number))
            }
        }
        return record
    }

    @Test(arguments: types.indices, [true, false])
    func `what is recorded has the bytes of what is written`(index: Int, appendsEachStep: Bool) throws {
        let (state, event) = Self.types[index]
        let direct = LoopEncoder(Self.loop(index), index: 3)
        let store = TestStore()
        let writer = JournalWriter(
            store, after: nil, JournalWriter.Timing(interval: .seconds(3600), wallTime: { 0 }),
            onFailure: { Issue.record($0) })
        let recorder = LoopRecorder(continuing: LoopEncoder(Self.loop(index), index: 3), to: writer)
        let first = try Self.record(state, 0)
        direct.started(first, step: 0, time: 5)
        recorder.started(first, step: 0, time: 5)
        for number in Int64(1)...20 {
            let (made, payload) = (try Self.record(state, number), try Self.record(event, number))
            let run = UInt64(number)
            direct.began(feedback: 0, run: run, events: 2, hasWaited: number % 2 == 0)
            recorder.began(feedback: 0, run: run, events: 2, hasWaited: number % 2 == 0)
            direct.step(
                event: 0, payload, feedback: 0, run: run, time: number * 300, state: made,
                entered: number % 5 == 0)
            recorder.step(
                event: 0, payload, feedback: 0, run: run, time: number * 300, state: made,
                entered: number % 5 == 0, answers: false, appends: appendsEachStep)
            direct.refused(event: 0, payload, feedback: -1, run: 0, time: number * 300 - 7, .unhandled)
            recorder.refused(event: 0, payload, feedback: -1, run: 0, time: number * 300 - 7, .unhandled)
            direct.asked(feedback: 1)
            recorder.asked(feedback: 1)
            direct.forgot(feedback: 1)
            recorder.forgot(feedback: 1)
            direct.ended(feedback: 0, run: run, .cancelled)
            recorder.ended(feedback: 0, run: run, .cancelled)
            direct.received(feedback: 1, position: run * 1000, events: 2)
            recorder.received(feedback: 1, position: run * 1000, events: 2)
            direct.precedes()
            recorder.precedes()
            direct.delivered()
            recorder.delivered()
        }
        direct.finished(time: 9, isDone: true)
        recorder.finished(time: 9, isDone: true)
        _ = recorder.append()
        #expect(recorder.isEmpty && recorder.append() == nil)
        writer.close()
        #expect(store.chunks.flatMap(\.bytes) == direct.bytes.bytes)
        #expect(writer.status.appended == 42)
    }

    @Test(arguments: types.indices)
    func `a step that answers also says that its run has begun and ended`(index: Int) throws {
        let (state, event) = Self.types[index]
        let journal = TestJournal(AppSchema(loops: [Self.loop(index)], gears: []))
        journal.loop(0, count: 1) { encoder in
            encoder.started(try! Self.record(state, 0), step: 0, time: 0)
        }
        try journal.commit()
        let writer = JournalWriter(
            journal.store, after: try journal.store.last(),
            JournalWriter.Timing(interval: .seconds(3600), wallTime: { 0 }), onFailure: { Issue.record($0) })
        let recorder = LoopRecorder(continuing: journal.encoders[0], to: writer)
        for number in Int64(1)...3 {
            recorder.step(
                event: 0, try Self.record(event, number), feedback: 0, run: UInt64(number), time: number,
                state: try Self.record(state, number), entered: false, answers: true, appends: true)
            #expect(recorder.hasBegun(feedback: 0, run: UInt64(number)))
            #expect(!recorder.hasBegun(feedback: 0, run: UInt64(number) + 1))
        }
        writer.close()
        let past = try JournalReader(journal.store).end().state.loops[0]
        #expect(past.step == 3)
        #expect(try past.state == Self.record(state, 3))
        #expect(past.feedbacks[0].latest == 3 && past.feedbacks[0].open.isEmpty)
        #expect(past.feedbacks[0].seen == 3)
    }
}
