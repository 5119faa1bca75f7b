import HostLoop
import Interfaces
@testable import PluginHost
import Records
import Synchronization
import TestSupport
import Testing

/// Functions that the host makes and C calls.
@Suite struct CallbackTests {
    let host: TestHost
    let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open("callbacks.c")
    }

    /// Answers with a closure of the test.
    private final class Sink: CallbackSink {
        let heard = Collected<Value>()
        let errors = Collected<PluginError>()
        let isDone = Atomic<Bool>(false)
        private let signature: CallbackSignature
        private let fallback: Value?
        private let answer: @Sendable (Value) -> Value?

        init(
            _ signature: CallbackSignature, fallback: Value? = nil,
            _ answer: @escaping @Sendable (Value) -> Value?
        ) {
            (self.signature, self.fallback, self.answer) = (signature, fallback, answer)
        }

        var isOver: Bool { isDone.load(ordering: .relaxed) }

        func fallback(_ callback: Int) -> Record? {
            signature.result.map { type in
                var record = Record(RecordType([("result", type)]))
                if let fallback { try! record.set("result", to: fallback) }
                return record
            }
        }

        func responder(_ callback: Int) -> CallbackResponder {
            { [self] value, result in
                // Safe because both are values of these types.
                let given = unsafe ValueMemory.load(value, as: .record(signature.value))
                heard.append(given)
                guard let answer = answer(given) else { return false }
                if let type = signature.result { unsafe try! ValueMemory.store(answer, to: result, as: type) }
                return true
            }
        }

        func refused(_ error: PluginError) { errors.append(error) }
    }

    /// A call of a function whose first parameter is a callback.
    private func prepared(
        _ prototype: String, _ arguments: [Value] = [], counts: [String: CallArgument.Count] = [:],
        fallback: Value? = nil, in image: PluginImage? = nil, of types: String = "",
        _ answer: @escaping @Sendable (Value) -> Value?
    ) throws -> (call: PreparedCall, sink: Sink) {
        let declarations = CDeclarations(parsing: "typedef int (*each)(int n);\(types) \(prototype);")
        let function = try #require(declarations.functions.last, "\(declarations.faults)")
        let signature = try CallSignature(
            function, arguments: [.callback(counts: counts)] + arguments.map { _ in .input })
        let address = try (image ?? self.image).address(of: function.name)
        let call = PreparedCall(try CallInterface(signature, of: address))
        for (index, value) in arguments.enumerated() { try call.setInput(index, to: value) }
        let sink = Sink(signature.callbacks[0].signature, fallback: fallback, answer)
        call.setCallbacks(sink)
        return (call, sink)
    }

    private func number(_ value: Value) -> Int64 {
        if case .int(let number)? = value["n"] { number } else { 0 }
    }

    private func result(_ call: PreparedCall) throws -> Value? {
        try call.invoke()
        return outcome(call)["result"]
    }

    @Test func `C gets the answer of each call`() throws {
        let (call, sink) = try prepared("int sum(each answer, int count)", [.int(10)]) { [number] in
            .int(number($0) * number($0))
        }
        for _ in 1...3 { #expect(try result(call) == .int(385)) }
        #expect(sink.heard.all.count == 30)
        #expect(sink.errors.all == [])
    }

    @Test func `values of every kind arrive, and a narrow result comes back`() throws {
        let (call, sink) = try prepared(
            """
            int8_t give_values(int8_t (*values)(int8_t a, uint16_t b, bool c, float d, double e, struct point f,
                const struct point *g, const double *h, int64_t count, const void *i))
            """, counts: ["h": .parameter("count"), "i": .fixed(5)],
            of: "struct point { int32_t x; double y; };"
        ) { _ in .int(-7) }
        #expect(try result(call) == .int(-7))
        #expect(
            sink.heard.all.map(\.json) == [
                #"{"a":-1,"b":65535,"c":true,"d":1.5,"e":2.5,"f":{"x":4,"y":0.5},"g":{"x":4,"y":0.5},"h":[1.0,2.0,3.0],"count":3,"i":"YnkAdGU="}"#
            ])
    }

    @Test func `floating results, wide integers, pointers and nothing come back`() throws {
        let (scale, _) = try prepared("float scale(float (*factor)(double x), double x)", [.double(4)]) {
            guard case .double(let x)? = $0["x"] else { return nil }
            return .double(x + 0.25)
        }
        #expect(try result(scale) == .double(8.5))
        let (greatest, _) = try prepared("uint64_t greatest(uint64_t (*number)(void))") { _ in
            .uint(.max)
        }
        #expect(try result(greatest) == .uint(.max))
        let (address, _) = try prepared(
            "void *address(void *(*find)(void *context), void *context)", [.pointer(77)]
        ) { $0["context"] }
        #expect(try result(address) == .pointer(77))
        let (tell, sink) = try prepared(
            "void tell(void (*told)(const char *text), const char *text)", [.string("hé")]
        ) { _ in .null }
        try tell.invoke()
        #expect(sink.heard.all.map(\.json) == [#"{"text":"hé"}"#])
    }

    @Test func `calls on several threads at once are all answered`() throws {
        let (call, sink) = try prepared("int on_threads(each answer, int count)", [.int(8)]) { [number] in
            .int(number($0))
        }
        #expect(try result(call) == .int(36_000))
        #expect(sink.heard.all.count == 8000)
    }

    @Test func `a call after the end gets the fallback, on any thread, and is logged`() throws {
        let (call, sink) = try prepared("int keep(each answer, int n)", [.int(3)], fallback: .int(-5)) {
            [number] in .int(number($0))
        }
        #expect(try result(call) == .int(3))
        for function in ["call_kept", "call_kept_on_thread"] {
            #expect(try self.call("int \(function)(int n)", .int(4)) == .int(-5))
        }
        #expect(sink.heard.all.count == 1)
        #expect(
            host.log.all.map(\.text) == ["effect `keep`: \(PluginRule.callbackAfterEnd.rawValue)"])
    }

    @Test func `a late call is recognised while other calls run, and when the caller is gone`() throws {
        let kept = try prepared("int keep(each answer, int n)", [.int(1)], fallback: .int(-5)) { _ in .int(0)
        }
        #expect(try result(kept.call) == .int(0))
        let (other, sink) = try prepared("int sum(each answer, int count)", [.int(1)]) { _ in
            (try? self.call("int call_kept(int n)", .int(2))) ?? .int(99)
        }
        for _ in 1...8 { #expect(try result(other) == .int(-5)) }
        #expect(sink.heard.all.count == 8)
        #expect(kept.sink.heard.all.count == 1)
    }

    /// Calls a function without callbacks.
    private func call(_ prototype: String, _ argument: Value) throws -> Value? {
        let function = try CFunction(parsing: prototype)
        let call = try prepare(function, at: image.address(of: function.name), [.value(argument)])
        try call.invoke()
        return outcome(call)["result"]
    }

    @Test func `calls within each other are answered, also from a call of the host in an answer`() throws {
        let (nested, _) = try prepared("int nested(each answer, int depth)", [.int(100)]) { [number] in
            .int(number($0))
        }
        #expect(try result(nested) == .int(5050))
        let (outer, _) = try prepared("int sum(each answer, int count)", [.int(2)]) { [number] value in
            let inner = try? prepared("int sum(each answer, int count)", [.int(3)]) { [number] in
                .int(number($0) * 10)
            }
            guard let inner, case .int(let sum)? = try? result(inner.call) else { return nil }
            return .int(sum + number(value))
        }
        #expect(try result(outer) == .int(123))
        // The closure of a call that runs is called within its own answer, through C.
        let (keep, sink) = try prepared("int keep(each answer, int n)", [.int(5)]) { [number] value in
            number(value) == 0 ? .int(1) : try? self.call("int call_kept(int n)", .int(number(value) - 1))
        }
        #expect(try result(keep) == .int(1))
        #expect(sink.heard.all.count == 6)
    }

    @Test func `a call that interrupts an answer on its thread gets the fallback`() throws {
        typealias Answer = @convention(c) (Int32) -> Int32
        let address = try image.address(of: "kept_function")
        // Safe because the function has this type.
        let function = unsafe unsafeBitCast(address.pointer, to: (@convention(c) () -> Answer).self)
        let (call, sink) = try prepared("int keep(each answer, int n)", [.int(1)], fallback: .int(-5)) { _ in
            // As a signal handler does: the host calls no function of the plugin in between.
            .int(Int64(function()(7)) * 2)
        }
        #expect(try result(call) == .int(-10))
        #expect(sink.heard.all.count == 1)
    }

    @Test func `a value that is not of its type gives the fallback, and the sink an error`() throws {
        let text = "int give_text(int (*text)(const char *text), int kind)"
        let (null, nullSink) = try prepared(text, [.int(0)], fallback: .int(-5)) { _ in .int(1) }
        #expect(try result(null) == .int(-5))
        #expect(
            nullSink.errors.all.map(\.message) == [
                "`give_text` called `text` with a value that is not of its type: `text`: it is a null pointer"
            ])
        #expect(nullSink.errors.all.map(\.help) == [["if it may be null, declare it `_Nullable`"]])
        let (invalid, invalidSink) = try prepared(text, [.int(1)], fallback: .int(-5)) { _ in .int(1) }
        #expect(try result(invalid) == .int(-5))
        #expect(
            invalidSink.errors.all.map(\.message) == [
                "`give_text` called `text` with a value that is not of its type: `text`: the text is not UTF-8 at byte 1"
            ])
        let (nullable, nullableSink) = try prepared(
            text.replacing("const char *text", with: "const char *_Nullable text"), [.int(0)]
        ) { _ in .int(1) }
        #expect(try result(nullable) == .int(1))
        #expect(nullableSink.heard.all.map(\.json) == [#"{"text":null}"#])
    }

    @Test(arguments: [
        ("char *_Nullable *texts", 3, #"{"count":3,"texts":["one",null,"three"]}"#, ""),
        ("char **texts", 1, #"{"count":1,"texts":["one"]}"#, ""),
        ("char **texts", 0, #"{"count":0,"texts":[]}"#, ""),
        ("char **texts", 2, "", "`texts[1]`: it is a null pointer"),
        ("char **texts", -1, "", "`texts`: the count `count` is -1"),
    ])
    func `lists of texts have the counted elements`(
        _ parameter: String, _ count: Int64, _ heard: String, _ error: String
    ) throws {
        let (call, sink) = try prepared(
            "int give_texts(int (*texts)(int count, \(parameter)), int count)", [.int(count)],
            counts: ["texts": .parameter("count")]
        ) { _ in .int(0) }
        try call.invoke()
        #expect(sink.heard.all.map(\.json) == (heard.isEmpty ? [] : [heard]))
        #expect(
            sink.errors.all.map(\.message)
                == (error.isEmpty
                    ? [] : ["`give_texts` called `texts` with a value that is not of its type: \(error)"]))
    }

    @Test func `a sink that is over answers nothing`() throws {
        let (call, sink) = try prepared("int sum(each answer, int count)", [.int(5)], fallback: .int(100)) {
            _ in .int(1)
        }
        sink.isDone.store(true, ordering: .relaxed)
        #expect(try result(call) == .int(500))
        #expect(sink.heard.all == [])
    }

    @Test func `errno stays while the host answers`() throws {
        let (call, _) = try prepared("int keeps_errno(each answer)") { _ in
            _ = try? self.call("int sets_errno(int n)", .int(5))
            return .int(0)
        }
        #expect(try result(call) == .int(77))
    }

    @Test func `a guarded plugin's crash after an answer is caught, and wild pointers are found`() throws {
        let guarded = try host.open(path: try PluginFixture.path("callbacks.c"), isGuarded: true)
        let (wild, wildSink) = try prepared(
            "int give_wild(int (*number)(const int32_t *number))", in: guarded
        ) { _ in .int(1) }
        #expect(try result(wild) == .int(0))
        #expect(
            wildSink.errors.all.map(\.message) == [
                "`give_wild` called `number` with a value that is not of its type: `number`: "
                    + "a value of 4 bytes lies at 0x10, which cannot be read"
            ])
        let (crash, sink) = try prepared("int crash(each answer, int n)", [.int(1)], in: guarded) { _ in
            .int(1)
        }
        let error = #expect(throws: PluginError.self) { try crash.invoke() }
        #expect(error?.code == .callCrashed)
        #expect(sink.heard.all.count == 1)
        let later = #expect(throws: PluginError.self) { try crash.invoke() }
        #expect(later?.code == .quarantined)
    }

    @Test func `many calls share few closures, also of several versions`() throws {
        let path = try PluginFixture.path("callbacks.c")
        for _ in 1...50 {
            let image = try host.open(path: path)
            let (call, sink) = try prepared("int until(each answer, int count)", [.int(1)], in: image) { _ in
                .int(0)
            }
            for _ in 1...50 { try call.invoke() }
            #expect(sink.heard.all.count == 50)
            let signature = try #require(call.interface.signature.callbacks.first).signature
            // One is in use, and 16 others are free.
            #expect(ClosurePool.pool(for: signature, of: call.interface.function).count == 17)
        }
    }
}
