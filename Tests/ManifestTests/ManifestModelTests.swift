import Diagnostics
import Expressions
import Interfaces
import Manifest
import Records
import Testing

@Suite struct ManifestModelTests {
    private func load(_ name: String, overrides: [String] = []) throws -> Manifest {
        let loaded = try Fixture.shared.get().load(name, overrides: overrides)
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        return try #require(loaded.manifest)
    }

    /// Calls `body` with a frame over these records.
    private func withFrame<Result>(
        state: Record, event: Record? = nil, config: Record? = nil, call: Record? = nil, value: Record? = nil,
        _ body: (Frame) throws -> Result
    ) rethrows -> Result {
        var now: Int64 = 1_000_000_000
        // Safe because the records outlive the call.
        return unsafe try withUnsafePointer(to: &now) { now in
            let slots: [UnsafeRawPointer?] = unsafe [
                state.unsafeBase, event?.unsafeBase, config?.unsafeBase, call?.unsafeBase, value?.unsafeBase,
                UnsafeRawPointer(now),
            ]
            return unsafe try slots.withUnsafeBufferPointer { unsafe try body(Frame($0.baseAddress!)) }
        }
    }

    private func apply(_ assignments: [Assignment], to record: Record, _ frame: Frame) throws -> Record {
        var record = record
        for assignment in assignments {
            // Safe because the offset is that of a field of the record.
            unsafe try assignment.store.evaluate(frame, into: record.unsafeMutableBase() + assignment.offset)
        }
        return record
    }

    @Test func levels() throws {
        let manifest = try load("good-levels")
        #expect(
            manifest.name == "levels" && manifest.onFault == .proceed && manifest.config.type.fields.isEmpty)
        let plugin = try #require(manifest.plugins.first)
        #expect(manifest.plugins.count == 1 && plugin.name == "levels" && plugin.description?.id == "levels")
        #expect(plugin.location == .file(manifest.folder + "/levels.so"))
        let loop = try #require(manifest.loops.first)
        #expect(loop.initialState.value == .record([("left", .int(10)), ("right", .int(20))]))
        #expect(loop.stateType.fields.map(\.type) == [.integer(.i64), .integer(.i64)])
        #expect(loop.events.map(\.name) == ["left_moved", "right_moved"])
        #expect(loop.feedbacks.map(\.name) == ["left", "right"])
        let left = loop.feedbacks[0]
        #expect(
            left.trigger == .change && !left.isDisabled && left.effect?.isEmitting == false
                && left.variants.count == 1
        )
        #expect(left.effect?.provider == .plugin(0) && left.effect?.name == "step_toward")
        let fields = left.variants[0].arguments.map { argument -> FieldReference? in
            if case .field(let field) = argument.source { field } else { nil }
        }
        #expect(fields.map(\.?.slot) == [0, 0] && fields.map(\.?.offset) == [0, 8])
        #expect(left.variants[0].arguments.map(\.reads.slots) == [[0], [0]])
        // One turn by hand: 10 goes to 11, and is done only when both are equal.
        var event = Record(loop.events[0].type)
        var call = Record(try #require(left.effect).signature.outcome)
        try call.set("result", to: .int(11))
        let batch = try #require(left.variants[0].batches.first)
        #expect(batch.emitter == nil && batch.emissions.map(\.event) == [0])
        event = try withFrame(state: loop.initialState, call: call) { frame in
            try apply(batch.emissions[0].assignments, to: event, frame)
        }
        #expect(event["to"] == .int(11))
        let next = try withFrame(state: loop.initialState, event: event) { frame in
            try apply(loop.transitions[0][0].assignments, to: loop.initialState, frame)
        }
        #expect(next.value == .record([("left", .int(11)), ("right", .int(20))]))
        let until = try #require(loop.until)
        #expect(try withFrame(state: next) { try until.predicate.evaluate($0) } == false)
        #expect(until.source.span.start == SourcePosition(line: 9, column: 11) && until.reads.slots == [0])
    }

    @Test func hostwatch() throws {
        let manifest = try load("good-hostwatch", overrides: ["busy=4", "full=0.5"])
        #expect(manifest.config.value == .record([("busy", .double(4)), ("full", .double(0.5))]))
        #expect(
            manifest.plugins[0].location == .system("libc.so.6") && manifest.plugins[0].description == nil)
        #expect(manifest.plugins[0].headers == ["unistd.h", "stdlib.h", "sys/statvfs.h"])
        let loop = manifest.loops[0]
        #expect(loop.feedbacks.map(\.name) == ["clock", "name", "load", "disk", "report"])
        #expect(
            loop.feedbacks[0].effect?.provider == .standard && loop.feedbacks[0].effect?.isEmitting == true)
        #expect(loop.feedbacks[0].variants[0].batches.map(\.emitter) == ["ticked"])
        #expect(loop.feedbacks[2].trigger == .events([0], .queue))
        #expect(loop.transitions.map(\.count) == [1, 1, 1, 1] && loop.transitions[0][0].assignments.isEmpty)
        #expect(loop.feedbacks[1].variants[0].failure != nil && loop.feedbacks[0].variants[0].failure == nil)
        #expect(loop.feedbacks[1].effect?.signature.outcome.fields.map(\.name) == ["result", "errno", "out"])
        #expect(loop.until == nil)
    }

    @Test func integersBeyondTOML_areWrittenAsText() throws {
        let loaded = try Fixture.shared.get().load(
            text: """
                config = { top = { type = "u64", initial = 1 } }
                [loops.a.state]
                greatest = { type = "u64", initial = "18446744073709551615" }
                least = { type = "i8", initial = "-128" }
                list = { type = "[u64?]", initial = ["9223372036854775808"] }
                """, as: "beyond", overrides: ["top=18446744073709551615"])
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        let manifest = try #require(loaded.manifest)
        let state = manifest.loops[0].initialState
        #expect(state["greatest"] == .uint(.max) && state["least"] == .int(-128))
        #expect(state["list"] == .list([.uint(1 << 63)]) && manifest.config["top"] == .uint(.max))
    }

    @Test func everythingIsDecoded() throws {
        let manifest = try load("good-everything", overrides: ["limit=2", "label=it is", "pace=250ms"])
        #expect(manifest.name == "everything" && manifest.onFault == .stop)
        #expect(
            manifest.config.value
                == .record([
                    ("limit", .int(2)), ("label", .string("it is")),
                    ("pace", .duration(nanoseconds: 250_000_000)),
                ]))
        #expect(manifest.plugins.map(\.name) == ["plain", "levels", "web"])
        #expect(manifest.plugins[0].freeFunction == "release_greeting")
        let loop = manifest.loops[0]
        let state = loop.initialState
        #expect(
            loop.stateType.fields.map(\.type.name) == [
                "i64", "f64", "bool", "string", "[i64]", "{ x = \"f64\", y = \"f64\" }",
                "[{ x = \"f64\", y = \"f64\" }]", "i8", "idle | busy | done", "f64?", "f64?", "timestamp",
                "duration",
                "bytes", "pointer", "[string]", "{ x = \"f32\", y = \"f32\" }",
            ])
        #expect(state["small"] == .int(-3) && state["mode"] == .string("busy"))
        #expect(state["maybe"] == .null && state["sure"] == .double(2))
        #expect(state["pause"] == .duration(nanoseconds: 5_000_000_000))
        #expect(state["since"]?.json == "\"2026-01-01T00:00:00Z\"")
        #expect(state["raw"] == .bytes([97, 98, 99]) && state["list"] == .list([.int(1), .int(2), .int(3)]))
        #expect(state["plan"] == .record([("x", .double(1)), ("y", .double(2.5))]))
        #expect(loop.events.map(\.name) == ["ticked", "counted", "reset", "loaded"])
        // Each event: its own transitions, then those of "*".
        #expect(loop.transitions.map(\.count) == [2, 4, 2, 1])
        #expect(loop.transitions[1].map(\.isIgnored) == [true, false, false, false])
        #expect(loop.transitions[3][0].assignments.map(\.name) == ["count", "list", "here", "mode"])
        let feedbacks = Dictionary(uniqueKeysWithValues: loop.feedbacks.map { ($0.name, $0) })
        #expect(feedbacks["wait"]?.trigger == .state(.skipWhileRunning))
        #expect(
            feedbacks["greet"]?.trigger == .events([0], .queue) && feedbacks["length"]?.isDisabled == true)
        #expect(
            feedbacks["fetch"]?.variants[0].batches.map(\.emissions.count) == [0, 1],
            "none, and by equal name")
        #expect(
            feedbacks["some"]?.variants[0].batches.map { $0.emissions[0].event } == [1, 3],
            "what `emit` fits, and by equal name")
        #expect(manifest.loops[1].name == "other" && manifest.loops[1].stateType.fields.isEmpty)
    }

    @Test func anEventOfSeveralIsReadWhereItLies() throws {
        let loop = try load("good-everything").loops[0]
        let probe = try #require(loop.feedbacks.first { $0.name == "probe" })
        #expect(probe.trigger == .events([1, 2], .queue) && probe.variants.count == 2)
        for (event, variant) in zip([1, 2], probe.variants) {
            var payload = Record(loop.events[event].type)
            try payload.set("by", to: .int(-7))
            var inputs = Record(try #require(probe.effect).signature.inputs)
            guard case .store(let store) = variant.arguments[0].source else {
                Issue.record("an `i64` or `i8` is no `i32`")
                continue
            }
            try withFrame(state: loop.initialState, event: payload) { frame in
                // Safe because the input is the first field.
                unsafe try store.evaluate(frame, into: inputs.unsafeMutableBase())
            }
            #expect(inputs["level"] == .int(-7))
        }
    }

    @Test func everyKeyOfAFeedbackIsDecoded() throws {
        let manifest = try load("good-feedbacks", overrides: ["pause=7s"])
        let loop = manifest.loops[0]
        let feedbacks = Dictionary(uniqueKeysWithValues: loop.feedbacks.map { ($0.name, $0) })
        #expect(feedbacks["names"]?.trigger == .each(FeedbackTrigger.Item(type: .string)))
        #expect(feedbacks["picked"]?.trigger == .each(FeedbackTrigger.Item(type: .string)))
        let times = try #require(feedbacks["times"])
        #expect(times.executor == .pool)
        #expect(
            times.timing
                == FeedbackTiming(
                    debounce: .seconds(1), delay: .seconds(14), timeout: .seconds(9),
                    retry: FeedbackTiming.Retry(times: 3)))
        #expect(
            feedbacks["limited"]?.timing.retry
                == FeedbackTiming.Retry(times: 5, delay: .seconds(7), longest: .seconds(60)))
        let queue = try #require(feedbacks["queue"])
        #expect(queue.executor == .queue && queue.timing == .none)
        #expect(queue.variants[0].onError?.emissions.map(\.event) == [1, 0])
        #expect(feedbacks["limited"]?.variants[0].batches.map(\.emitter) == ["failed", "loaded"])
        #expect(feedbacks["named"]?.variants[0].batches.map(\.emissions.count) == [0, 2])
        let alone = try #require(feedbacks["alone"])
        #expect(alone.effect == nil && alone.variants[0].batches[0].messages.map(\.message) == [0])
        let both = try #require(feedbacks["both"])
        #expect(both.isDisabled && both.effect != nil)
        #expect(both.variants[0].batches[0].messages[0].condition != nil)
    }

    @Test func faultsOfTheRunPointIntoTheFile() throws {
        let loaded = try Fixture.shared.get().load(
            text: """
                [loops.a]
                state  = { left = 10 }
                events = { moved = { to = "i64" } }

                [loops.a.on]
                moved = { set = { left = "1 + \\u0031 / event.to" } }
                """, as: "division")
        let loop = try #require(loaded.manifest).loops[0]
        let assignment = loop.transitions[0][0].assignments[0]
        do {
            _ = try withFrame(state: loop.initialState, event: Record(loop.events[0].type)) { frame in
                try apply([assignment], to: loop.initialState, frame)
            }
            Issue.record("dividing by zero is a fault")
        } catch let fault as EvaluationFault {
            let span = assignment.source.span(of: fault.range)
            #expect(
                span.start == SourcePosition(line: 6, column: 31)
                    && span.end == SourcePosition(line: 6, column: 48))
        }
    }

    @Test(arguments: [
        ("busy", ManifestCode.malformedOverride, "`--set busy` is not `NAME=VALUE`"),
        ("bussy=3", .unknownConstant, "there is no constant `bussy` in `config`"),
        ("busy=often", .doesNotConvert, "`busy`: string does not convert to `f64`"),
        ("busy=[1", .doesNotConvert, "`busy`: string does not convert to `f64`"),
        ("=1", .unknownConstant, "there is no constant `` in `config`"),
    ])
    func faultyOverrides(text: String, code: ManifestCode, message: String) throws {
        let loaded = try Fixture.shared.get().load("good-hostwatch", overrides: [text])
        #expect(loaded.manifest == nil)
        #expect(
            loaded.diagnostics.map(\.code) == [code.code] && loaded.diagnostics.map(\.message) == [message])
        #expect(loaded.diagnostics[0].place?.span.file.name == "--set")
    }

    @Test func theLastOverrideWins() throws {
        let manifest = try load("good-everything", overrides: ["label=a", "label=b=c", "label="])
        #expect(manifest.config["label"] == .string(""))
    }

    @Test(arguments: [
        "args = { factor = 3, x = \"state.level\" }", "args.x = \"state.level\"\nargs.factor = 3",
        "[loops.a.feedback.scale.args]\nfactor = 3\nx = \"state.level\"",
    ])
    func namedArguments_areThoseOfAList(_ named: String) throws {
        func feedback(_ args: String) throws -> FeedbackModel {
            let loaded = try Fixture.shared.get().load(
                text: """
                    [plugins.plain]
                    library  = "plain.so"
                    declares = "double scale(double x, double factor);"
                    [loops.a]
                    state  = { level = 0.5 }
                    events = { scaled = { level = "f64" } }
                    on     = { scaled = { set = { level = "event.level" } } }
                    [loops.a.feedback.scale]
                    effect = "plain:scale"
                    emit   = { event = "scaled", level = "result" }
                    \(args)
                    """, as: "named-\(named.hashValue)")
            #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
            return try #require(loaded.manifest?.loops.first?.feedbacks.first)
        }
        let (byName, byPlace) = (
            try feedback(named).variants[0].arguments,
            try feedback("args = [\"state.level\", 3]").variants[0].arguments
        )
        #expect(byName.map(\.parameter) == [0, 1] && byName.map(\.input) == byPlace.map(\.input))
        #expect(byName.map(\.text.text) == byPlace.map(\.text.text))
    }

    @Test func aTextInATable_isAConstant() throws {
        let loaded = try Fixture.shared.get().load(
            text: """
                [loops.a]
                state  = { by = "", said = { type = { text = "string" } }, quoted = { type = "string?" } }
                events = { came = {} }
                [loops.a.on.came.set]
                by     = { text = "it's Ada" }
                said   = { text = "hi" }
                quoted = { text = "a \\"b\\" \\\\ state.by" }
                [loops.a.feedback]
                tell = { effect = "std:print", args = [{ text = "5 + 5" }] }
                """, as: "texts")
        #expect(loaded.diagnostics.isEmpty, "\(loaded.diagnostics.map(\.message))")
        let loop = try #require(loaded.manifest?.loops.first)
        let before = loop.initialState
        let after = try withFrame(state: before) {
            try apply(loop.transitions[0][0].assignments, to: before, $0)
        }
        #expect(
            after.value
                == .record([
                    ("by", .string("it's Ada")), ("said", .record([("text", .string("hi"))])),
                    ("quoted", .string("a \"b\" \\ state.by")),
                ]))
        let told = try #require(loop.feedbacks.first?.variants.first?.arguments.first)
        #expect(told.reads.isEmpty && told.text.text == "\"5 + 5\"")
    }
}
