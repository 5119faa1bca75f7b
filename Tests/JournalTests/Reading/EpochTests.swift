@testable import Journal
import Records
import Testing
import TestSupport

/// What is known of loops, runs and messages after another process or manifest has begun.
struct EpochTests {
    private static let count = RecordType([("count", .integer(.i64))])
    private static let wide = RecordType([("count", .integer(.i64)), ("name", .string)])
    private static let note = RecordType([("text", .string)])

    /// A loop with a feedback of each kind that matters.
    private func loop(
        _ name: String, _ state: RecordType = count, events: [NamedType]? = nil,
        feedbacks: [LoopSchema.Feedback]? = nil, receives: [LoopSchema.Reception]? = nil
    ) -> LoopSchema {
        LoopSchema(
            name: name, state: state,
            events: events ?? [NamedType("add", Self.count), NamedType("say", Self.note)],
            feedbacks: feedbacks ?? [.init("mail", .receiver), .init("pay", .event), .init("show", .change)],
            receives: receives ?? [.init(gear: 0, message: 0)])
    }

    private func app(
        _ loops: LoopSchema...,
        gears: [GearSchema] = [GearSchema(name: "mail", messages: [.init("note", note)])]
    ) -> AppSchema {
        AppSchema(loops: loops, gears: gears)
    }

    private func record(_ type: RecordType, _ name: String, _ value: Value) throws -> Record {
        var record = Record(type)
        try record.set(name, to: value)
        return record
    }

    /// Two loops `a` and `b`. Then `a` has made a step, of which it pays in run 3, and again; a message waits.
    private func journal(_ schema: AppSchema) throws -> TestJournal {
        let journal = TestJournal(schema)
        for index in schema.loops.indices {
            let state = try record(Self.count, "count", .int(Int64(10 * (index + 1))))
            journal.loop(index, count: 1) { $0.started(state, step: 0, time: 100) }
        }
        let payload = try record(Self.note, "text", .string("hello"))
        let state = try record(Self.count, "count", .int(11))
        journal.loop(0, count: 1) {
            $0.step(event: 1, payload, feedback: -1, run: 0, time: 150, state: state, entered: false)
        }
        journal.note(0) {
            $0.began(feedback: 1, run: 3, events: nil, hasWaited: false)
            $0.asked(feedback: 1)
            $0.began(feedback: 2, run: 8, events: nil, hasWaited: false)
        }
        journal.write {
            $0.sent(
                loop: 0, feedback: 2, gear: 0, message: 0, payload, by: RecordCoder(Self.note))
        }
        return journal
    }

    @Test func `steps that feedbacks have not seen are known to the next epochs, until they are asked for`()
        throws
    {
        let schema = app(loop("a"))
        let journal = try journal(schema)
        let payload = try record(Self.note, "text", .string("again"))
        let state = try record(Self.count, "count", .int(12))
        journal.note(0) { $0.precedes() }
        journal.loop(0, count: 1) {
            $0.step(event: 1, payload, feedback: -1, run: 0, time: 160, state: state, entered: false)
        }
        journal.write {
            $0.sent(
                loop: 0, feedback: 2, gear: 0, message: 0, payload, by: RecordCoder(Self.note))
        }
        #expect(try journal.state().loops[0].preceding.map(\.step) == [1])
        journal.begin(schema, time: 200)
        for epoch in 2...3 {
            let past = try journal.state().loops[0]
            #expect(past.step == 2)
            #expect(past.preceding.isEmpty)
            #expect(past.unseen.map(\.step) == [1], "epoch \(epoch)")
            #expect(past.unseen.map(\.epoch) == [1])
            // The feedbacks that have begun a run have seen the first of the steps.
            #expect(past.unseen.map(\.seenBy) == [[1, 2]])
            #expect(past.unseen[0].cause.state.value.json == #"{"count":11}"#)
            #expect(past.unseen[0].cause.payload.value.json == #"{"text":"hello"}"#)
            let read = try JournalState(decoding: journal.state().encoded())
            #expect(read.loops[0].unseen.map(\.seenBy) == [[1, 2]])
            journal.begin(schema, time: 300)
        }
        journal.loop(0, count: 1) { $0.started(state, step: 2, time: 400, position: 5) }
        let waiting = try journal.state().loops[0].feedbacks[1].waiting.count
        journal.note(0) { $0.asked(feedback: 1, unseen: 0, in: state) }
        var past = try journal.state().loops[0]
        #expect(past.feedbacks[1].waiting.count == waiting + 1)
        // The state is the one that was given, as the loop may have another type since.
        #expect(past.feedbacks[1].waiting.last?.cause?.state.value.json == #"{"count":12}"#)
        #expect(past.feedbacks[1].waiting.last?.cause?.payload.value.json == #"{"text":"hello"}"#)
        #expect(past.unseen.map(\.seenBy) == [[1, 2]])
        journal.note(0) { $0.delivered() }
        past = try journal.state().loops[0]
        #expect(past.unseen.isEmpty && past.isDelivered)
    }

    @Test func aSchemaAndAnEpoch_readAsTheyWereWritten() throws {
        for seed in UInt64(0)..<40 {
            var generator = SeededGenerator(seed: seed)
            let epoch = Epoch.test(
                time: -5, generator.schema(loops: Int(seed % 5)))
            let writer = ByteWriter()
            epoch.write(to: writer)
            #expect(try decoded(writer.bytes) == epoch)
            for end in stride(from: 0, to: writer.count, by: 7) {
                #expect(throws: DamagedBytes.self) { try decoded(Array(writer.bytes.prefix(end))) }
            }
        }
    }

    private func decoded(_ bytes: [UInt8]) throws -> Epoch {
        try unsafe bytes.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            let epoch = try Epoch(&reader)
            #expect(reader.isAtEnd)
            return epoch
        }
    }

    @Test func aProcessThatEndsBeforeItsLoopsBegin_losesNoState() throws {
        let schema = app(loop("a"), loop("b"))
        let journal = try journal(schema)
        // A crash after the epoch is committed, twice; then the states have another type.
        journal.begin(schema, time: 200)
        try journal.commit()
        journal.begin(app(loop("b"), loop("a", Self.wide)), time: 300)
        let state = try journal.state()
        for state in [state, try JournalState(decoding: state.encoded())] {
            let index = try #require(state.index(ofLoop: "a"))
            let past = state.loops[index]
            #expect((past.hasBegun, past.isCurrent) == (true, false))
            #expect(past.state.value.json == #"{"count":11}"#)
            #expect((past.step, past.time, past.entered) == (1, 150, 100))
            #expect(past.event == 1)
            #expect(past.payload?["text"] == .string("hello"))
            #expect(state.loops[1 - index].state.value.json == #"{"count":20}"#)
            // No process ran from the last entry to the first recovery, and none is known after it.
            #expect(state.pauses[index] == 150)
        }
        // A step would need the state of this epoch.
        let payload = Record(Self.note)
        let wide = Record(Self.wide)
        journal.loop(1, count: 1) {
            $0.step(event: 1, payload, feedback: -1, run: 0, time: 0, state: wide, entered: false)
        }
        try journal.commit()
        let damage = try JournalReader(journal.store).end().damage
        #expect(damage?.description.hasSuffix("a loop has a step before it begins") == true)
    }

    @Test func aRunThatIsBegunAgain_isOpenOnce() throws {
        let schema = app(loop("a"))
        let journal = try journal(schema)
        journal.begin(schema, time: 200, latest: [[0, 3, 7]])
        let state = try record(Self.count, "count", .int(11))
        journal.loop(0, count: 1) { $0.started(state, step: 1, time: 201) }
        // A process that ends here leaves all to the next one.
        var past = try journal.state().loops[0].feedbacks
        #expect(past[1].open.map(\.number) == [3])
        #expect(past[1].waiting.count == 1)
        #expect(past[2].open.map(\.number) == [8])
        journal.note(0) {
            $0.began(feedback: 2, run: 8, events: nil, hasWaited: false)
            $0.began(feedback: 1, run: 3, events: 2, hasWaited: false)
            $0.began(feedback: 1, run: 4, events: 1, hasWaited: false)
        }
        past = try journal.state().loops[0].feedbacks
        #expect(past[1].open.map(\.number) == [3, 4])
        #expect(past[1].open.map(\.events) == [2, 1])
        #expect(past[1].open.map { $0.cause?.payload["text"] } == [.string("hello"), .string("hello")])
        #expect(past[1].waiting.isEmpty)
        #expect(past[2].open.map(\.number) == [8])
        let payload = Record(Self.count)
        for run in [UInt64(3), 3, 4] {
            journal.loop(0, count: 1) {
                $0.step(event: 0, payload, feedback: 1, run: run, time: 210, state: state, entered: false)
            }
        }
        #expect(try journal.state().loops[0].feedbacks[1].open.isEmpty)
    }

    @Test func aRunThatIsAskedForAgain_waitsOnce_withItsCause() throws {
        let schema = app(loop("a"))
        let journal = try journal(schema)
        journal.begin(schema, time: 200, latest: [[0, 3, 8]])
        let state = try record(Self.count, "count", .int(11))
        journal.loop(0, count: 1) { $0.started(state, step: 1, time: 201) }
        journal.note(0) {
            $0.asked(feedback: 1)
            $0.forgot(feedback: 1)
            $0.asked(feedback: 1)
        }
        var past = try journal.state().loops[0].feedbacks[1]
        #expect(past.open.isEmpty)
        #expect(past.waiting.map(\.step) == [1])
        #expect(past.waiting.map { $0.cause?.payload["text"] } == [.string("hello")])
        journal.note(0) { $0.began(feedback: 1, run: 4, events: nil, hasWaited: true) }
        past = try journal.state().loops[0].feedbacks[1]
        #expect(past.open.map(\.number) == [4])
        #expect(past.open.first?.cause?.payload["text"] == .string("hello"))
        #expect(past.waiting.isEmpty)
    }

    @Test func aLoopThatRests_hasBegunAgainAllThatItMust() throws {
        let schema = app(loop("a"))
        let journal = try journal(schema)
        journal.begin(schema, time: 200, latest: [[0, 3, 8]])
        let state = try record(Self.count, "count", .int(11))
        journal.loop(0, count: 1) { $0.started(state, step: 1, time: 201) }
        let before = try journal.state()
        let read = try JournalState(decoding: before.encoded())
        #expect(read.loops[0].feedbacks[1].open.map(\.isFromBefore) == [true])
        journal.note(0) { $0.began(feedback: 2, run: 9, events: nil, hasWaited: false) }
        journal.note(0) { $0.delivered() }
        let past = try journal.state().loops[0].feedbacks
        #expect(past[1].open.isEmpty && past[1].waiting.isEmpty)
        #expect(past[2].open.map(\.number) == [9])
    }

    @Test func eventsOfAMessageThatWaited_areLostWithTheProcess_andTheMessageIsNot() throws {
        let schema = app(loop("a"))
        let journal = try journal(schema)
        let position = journal.position
        let state = try record(Self.count, "count", .int(11))
        let payload = Record(Self.count)
        func step() {
            journal.loop(0, count: 1) {
                $0.step(event: 0, payload, feedback: 0, run: 0, time: 210, state: state, entered: false)
            }
        }
        journal.note(0) { $0.received(feedback: 0, position: position, events: 2) }
        step()
        journal.begin(schema, time: 200)
        journal.loop(0, count: 1) { $0.started(state, step: 1, time: 201) }
        journal.note(0) { $0.received(feedback: 0, position: position, events: 2) }
        step()
        #expect(try journal.state().messages.keys.sorted() == [position])
        step()
        #expect(try journal.state().messages.isEmpty)
        #expect(try journal.state().loops[0].feedbacks[0].messages.isEmpty)
    }

    @Test func aManifestThatChanges_keepsWhatHasTheSameNameAndType() throws {
        let feedbacks: [LoopSchema.Feedback] = [
            .init("new", .change), .init("mail", .receiver), .init("pay", .event), .init("show", .state),
        ]
        let journal = try journal(app(loop("a"), loop("b")))
        journal.note(0) { $0.received(feedback: 0, position: 5, events: 1) }
        let position = journal.position
        let changed = app(
            loop("other", receives: []),
            loop(
                "a", events: [NamedType("say", Self.note)], feedbacks: feedbacks,
                receives: [.init(gear: 1, message: 1)]),
            gears: [
                GearSchema(name: "new", messages: []),
                GearSchema(name: "mail", messages: [.init("hi", Self.count), .init("note", Self.note)]),
            ])
        journal.begin(changed, time: 160)
        let state = try journal.state()
        #expect(!state.loops[0].hasBegun)
        let past = state.loops[1]
        #expect(past.feedbacks.map(\.latest) == [0, 0, 3, 0])
        // The event has another index now.
        #expect(past.feedbacks[2].open.map { $0.cause?.event } == [0])
        #expect(past.feedbacks[2].open.map(\.isFromBefore) == [true])
        #expect(past.feedbacks[2].waiting.count == 1)
        #expect(past.feedbacks[3].open.isEmpty)
        #expect(past.feedbacks[1].messages.isEmpty)
        let message = try #require(state.messages[position])
        #expect((message.gear, message.message, message.receivers) == (1, 1, [1]))
    }

    @Test func aChangeOfTypesAndNames_dropsWhatCannotBeContinued() throws {
        func state(_ schema: AppSchema) throws -> JournalState {
            let journal = try journal(app(loop("a"), loop("b")))
            journal.begin(schema, time: 160)
            return try journal.state()
        }
        let removed = try state(app(loop("a", events: [NamedType("add", Self.count)]), loop("b")))
        #expect(removed.loops[0].feedbacks[1].open.isEmpty)
        #expect(removed.loops[0].event == nil)
        #expect(removed.loops[0].feedbacks[1].latest == 3)
        let wide = try state(app(loop("a", Self.wide)))
        // The state that its run belongs to is kept as it is.
        #expect(wide.loops[0].feedbacks[1].open.map(\.number) == [3])
        let cause = try #require(wide.loops[0].feedbacks[1].open.first?.cause)
        #expect(cause.state.type == Self.count)
        for past in [wide.loops[0], try JournalState(decoding: wide.encoded()).loops[0]] {
            #expect(past.feedbacks[1].open.first?.cause?.state == cause.state)
        }
        #expect(wide.loops[0].feedbacks[2].open.map(\.number) == [8])
        #expect(wide.messages.values.map(\.receivers) == [[0]])
        let renamed = try state(
            app(loop("a"), gears: [GearSchema(name: "post", messages: [.init("note", Self.note)])]))
        #expect(renamed.messages.isEmpty)
        let deaf = try state(app(loop("a", receives: []), loop("b")))
        #expect(deaf.messages.values.map(\.receivers) == [[1]])
    }

    @Test func `what instances have kept is for the next process alone`() throws {
        let schema = app(loop("a"))
        let journal = try journal(schema)
        journal.write(count: 0) { $0.kept(instance: "pump", state: [1, 2]) }
        journal.write(count: 0) { $0.kept(instance: "pump", state: [3]) }
        try journal.commit()
        #expect(try JournalReader(journal.store).end().state.kept == ["pump": [3]])
        journal.begin(schema, time: 200)
        try journal.commit()
        #expect(try JournalReader(journal.store).end().state.kept == [:])
    }
}
