import Diagnostics
import Expressions
import Records
import TestSupport
import Testing

@Suite("random expressions")
struct RandomTests {
    private func randomWorld(_ generator: inout SeededGenerator) throws -> World {
        var world = World()
        let ints: [Int64] = [0, 1, 2, 3, -1, -7, 1000, .max, .min]
        let texts = ["", "a", "ab", "abab", "ü", "日本", "12", "-3"]
        for name in ["a", "b", "c"] { try world.set(name, .int(ints.randomElement(using: &generator)!)) }
        try world.set("small", .int(Int64(Int8.random(in: .min ... .max, using: &generator))))
        try world.set("word", .int(Int64(UInt16.random(in: .min ... .max, using: &generator))))
        try world.set("big", .uint([0, 1, 3, 1 << 40, .max].randomElement(using: &generator)!))
        try world.set(
            "load",
            .double([0, -0.0, 0.1, -2.5, 1e18, 1e300, .nan, .infinity].randomElement(using: &generator)!))
        try world.set("ratio", .double([0, 0.5, 3, -1e30].randomElement(using: &generator)!))
        for name in ["name", "title"] {
            try world.set(name, .string(texts.randomElement(using: &generator)!))
        }
        for name in ["off", "on"] { try world.set(name, .bool(Bool.random(using: &generator))) }
        try world.set(
            "items", .list((0..<Int.random(in: 0..<4, using: &generator)).map { .int(Int64($0) - 1) }))
        try world.set(
            "maybe", Bool.random(using: &generator) ? .null : .int(ints.randomElement(using: &generator)!))
        return world
    }

    @Test("evaluate as a naive evaluator does, faults and absorption included", arguments: [1, 2, 3, 4])
    func agreement(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let worlds = try (0..<8).map { _ in try randomWorld(&generator) }
        var (values, faults) = (0, 0)
        for _ in 0..<2500 {
            let kind = Naive.Kind.allCases.randomElement(using: &generator)!
            let naive = Naive.random(kind, depth: 5, &generator)
            let text = naive.text
            let expression: Expression?
            do {
                expression = try Expression(text, in: World.scope)
            } catch {
                // Constants may fault when they are loaded; the text itself is right.
                try #require(error.code >= .overflow, "\(text): \(error)")
                expression = nil
            }
            for world in worlds {
                let found = try world.withFrame { frame in
                    do { return try expression?.evaluate(frame) } catch let fault as EvaluationFault {
                        #expect(fault.range.upperBound <= text.utf8.count && !fault.range.isEmpty)
                        return nil
                    }
                }
                let wanted = naive.value(world)
                if wanted == nil { faults += 1 } else { values += 1 }
                let untyped = try? Expression(text, in: Scope(untyped: ["state"])).evaluate(with: [
                    Self.fields(of: world)
                ])
                if untyped.map(described) != wanted.map(described) {
                    Issue.record("\(text) without types is \(untyped.map(described) ?? "a fault")")
                    return
                }
                guard found.map(described) == wanted.map(described) else {
                    Issue.record(
                        "\(text) with \(world.state.value.json) is \(found.map(described) ?? "a fault"), not \(wanted.map(described) ?? "a fault")"
                    )
                    return
                }
            }
        }
        #expect(values > 2000 && faults > 2000, "\(values) values and \(faults) faults")
    }

    /// The state as a map, in which what is null is absent.
    private static func fields(of world: World) -> Value {
        guard case .map(let entries) = world.state.value else { return .null }
        return .map(entries.filter { $0.value != .null })
    }

    private static let untyped = Scope(untyped: ["state", "event", "now"])

    private static let words = [
        "state", "event", "result", "now", ".", "a", "b", "big", "load", "name", "pos", "x", "items", "names",
        "maybe", "mode", "nick", "place", "(", ")",
        "[", "]", "{", "}", ",", ":", "?", "+", "-", "*", "/", "%", "!", "&&", "||", "==", "!=", "<", "<=",
        ">", ">=", "in", " ", "0", "1", "2u", "1.5", "'a'", "'idle'", "b'x'",
        "true", "false", "null", "has(", "size(", "int(", "string(", "duration('1s')", "timestamp(0)",
        ".size()", ".contains('a')", "state.a", "state.items[0]", "state.maybe", "\"", "'", "\\",
        "r'", "//", "\n", "0x", "9223372036854775808", "1e309", "ü", "😀", "\u{0}", "state.pos.x",
        "state.name", "state.mode", "[1, 'a'][0]", "{'a': 1}", ".all(a,", ".exists(x,", ".map(b,",
        ".filter(a,",
        "[1, 2].map(x, x + 1)", ".exists_one(a, ", "type(", "dyn(", "math.greatest(", "math.bitShiftLeft(",
        ".matches(",
        "'(a|b)*'", ".format([", "'%s %d %.3f'", ".split('')", ".replace('', 'a')", ".substring(",
        ".indexOf('a', ",
        ".getHours('Europe/Berlin')", "now.getDate()", "strings.quote(", ".join()", ".`a`",
    ]

    @Test("that are garbage are refused with a place inside the text, and never crash", arguments: 0..<4)
    func garbage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: 1000 + seed)
        let world = try randomWorld(&generator)
        let types: [ValueType] = [
            .integer(.u8), .double, .string, .bool, World.mode, .optional(.integer(.i16)),
            .record(World.point), .list(.string), .timestamp, .array(.double, count: 2),
        ]
        var (loaded, evaluated) = (0, 0)
        for round in 0..<25_000 {
            let text =
                switch round % 3 {
                case 0: soup(&generator)
                case 1: mutated(&generator)
                default: noise(&generator)
                }
            do throws(TextFault) {
                let expression = try Expression(text, in: World.scope)
                loaded += 1
                let type = types.randomElement(using: &generator)!
                let store = try? expression.store(as: type)
                _ = try? expression.predicate()
                var target = Record(RecordType([("target", type)]))
                world.withFrame { frame in
                    if (try? expression.evaluate(frame)) != nil { evaluated += 1 }
                    try? unsafe store?.evaluate(frame, into: target.unsafeMutableBase())
                }
                _ = try? Expression(text, in: Self.untyped).evaluate(with: [
                    world.state.value, .null, .int(1),
                ])
                _ = target.value
            } catch {
                guard error.range.lowerBound >= 0, error.range.upperBound <= text.utf8.count,
                    !error.message.isEmpty
                else {
                    Issue.record("\(text.debugDescription): \(error.range) \(error.message)")
                    return
                }
            }
        }
        #expect(loaded > 500 && evaluated > 300, "\(loaded) loaded, \(evaluated) evaluated")
    }

    private func soup(_ generator: inout SeededGenerator) -> String {
        (0..<Int.random(in: 1..<12, using: &generator)).map { _ in
            Self.words.randomElement(using: &generator)!
        }
        .joined(separator: Bool.random(using: &generator) ? " " : "")
    }

    private func mutated(_ generator: inout SeededGenerator) -> String {
        let kind = Naive.Kind.allCases.randomElement(using: &generator)!
        var bytes = Array(Naive.random(kind, depth: 3, &generator).text.utf8)
        for _ in 0..<Int.random(in: 0..<3, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes.remove(at: index)
            case 1: bytes[index] = UInt8.random(in: 32..<127, using: &generator)
            default: bytes.insert(contentsOf: Self.words.randomElement(using: &generator)!.utf8, at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func noise(_ generator: inout SeededGenerator) -> String {
        String(
            decoding: (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }, as: UTF8.self)
    }
}
