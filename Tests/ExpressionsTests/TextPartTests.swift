import Records
import TestSupport
import Testing

/// `split`, `replace`, `substring` and `contains` of texts in memory, compared with plain code on characters.
@Suite("parts of texts")
struct TextPartTests {
    private typealias Text = [Unicode.Scalar]

    private static func text(_ characters: some Sequence<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(characters))
    }

    /// The first `limit` places of a part, one behind the other.
    private static func places(of part: Text, in text: Text, limit: Int) -> [Int] {
        var (found, next): ([Int], Int) = ([], 0)
        while found.count < limit, next + part.count <= text.count {
            if Array(text[next..<next + part.count]) == part {
                found.append(next)
                next += max(part.count, 1)
            } else {
                next += 1
            }
        }
        return found
    }

    private static func split(_ text: Text, _ separator: Text, _ limit: Int) -> [String] {
        guard limit != 0 else { return [] }
        let most = limit < 0 ? Int.max : limit
        if separator.isEmpty {
            let heads = text.prefix(most == .max ? text.count : most - 1).map { Self.text([$0]) }
            let rest = text.dropFirst(heads.count)
            return heads + (rest.isEmpty ? [] : [Self.text(rest)])
        }
        var (parts, start): ([String], Int) = ([], 0)
        for place in places(of: separator, in: text, limit: most - 1) {
            parts.append(Self.text(text[start..<place]))
            start = place + separator.count
        }
        return parts + [Self.text(text[start...])]
    }

    private static func replace(_ text: Text, _ old: Text, _ new: Text, _ limit: Int) -> String {
        var (result, start): (Text, Int) = ([], 0)
        for place in places(of: old, in: text, limit: limit < 0 ? .max : limit) {
            result += text[start..<place] + new
            start = place + old.count
        }
        return Self.text(result + text[start...])
    }

    @Test("are those that plain code finds")
    func randomTexts() throws {
        var generator = SeededGenerator(seed: 5)
        for alphabet in [Array("ab".unicodeScalars), Array("aéб🎉".unicodeScalars)] {
            func random(_ most: Int) -> Text {
                (0..<Int.random(in: 0...most, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator)!
                }
            }
            for _ in 0..<400 {
                let (text, part, new) = (random(24), random(5), random(2))
                let limit = Int.random(in: -1...4, using: &generator)
                var world = World()
                try world.set("name", .string(Self.text(text)))
                try world.set("title", .string(Self.text(part)))
                try world.set("nick", .string(Self.text(new)))
                try world.set("a", .int(Int64(limit)))
                func expect(_ expression: String, _ value: Value) throws {
                    #expect(
                        try world.evaluate(expression) == value,
                        "\(expression) of \(text), \(part), \(new), \(limit)")
                }
                try expect(
                    "state.name.split(state.title, state.a)",
                    .list(Self.split(text, part, limit).map { .string($0) }))
                try expect(
                    "state.name.split(state.title)", .list(Self.split(text, part, -1).map { .string($0) }))
                try expect(
                    "state.name.replace(state.title, state.nick, state.a)",
                    .string(Self.replace(text, part, new, limit)))
                try expect(
                    "state.name.contains(state.title)",
                    .bool(!Self.places(of: part, in: text, limit: 1).isEmpty))
                // One part is found without the others, also by a position that is known only then.
                let parts = Self.split(text, part, limit)
                let position = Int.random(in: -1...parts.count, using: &generator)
                try world.set("b", .int(Int64(position)))
                let size = "\(parts.count) element\(parts.count == 1 ? "" : "s")"
                let wanted =
                    parts.indices.contains(position)
                    ? described(.string(parts[position]))
                    : "fault: index `\(position)` is outside the list of \(size)"
                for index in ["\(position)", "state.b"] {
                    #expect(
                        outcome("state.name.split(state.title, state.a)[\(index)]", world) == wanted,
                        "part \(index) of \(text), \(part), \(limit)")
                }
                let (start, end) = (text.count / 3, text.count - text.count / 4)
                try expect("state.name.substring(\(start))", .string(Self.text(text[start...])))
                try expect("state.name.substring(\(start), \(end))", .string(Self.text(text[start..<end])))
            }
        }
    }

    @Test("are made when more than one of them is used")
    func lists() throws {
        var world = World()
        try world.set("name", .string("a b c"))
        for (expression, wanted) in [
            ("state.name.split(' ') == ['a', 'b', 'c']", "true"), ("state.name.split(' ').size()", "3"),
            ("state.name.split(' ').map(part, part + '!').join()", "\"a!b!c!\""),
            ("'b' in state.name.split(' ')", "true"), ("state.name.split(' ').last().value()", "\"c\""),
            ("state.name.split(' ')[?3].orValue('none')", "\"none\""),
            ("state.name.split(' ')[1u] + state.name.split(' ')[dyn(2.0)]", "\"bc\""),
            ("[0, 2].map(i, state.name.split(' ')[i]).join()", "\"ac\""), ("'x,y'.split(',')[1]", "\"y\""),
            ("(state.on ? state.name.split(' ') : ['d'])[0]", "\"d\""),
        ] {
            #expect(outcome(expression, world) == wanted, "\(expression)")
        }
        #expect(
            fault("'x,y'.split(',')[2]") == "E032 17..<18: index `2` is outside the list of 2 elements")
    }

    @Test("outside of the text are faults")
    func outside() throws {
        var world = World()
        try world.set("name", .string("größe"))
        for (expression, wanted) in [
            ("state.name.substring(6)", "fault: index `6` is outside the text of 5 characters"),
            ("state.name.substring(-1)", "fault: index `-1` is outside the text of 5 characters"),
            ("state.name.substring(1, 9)", "fault: index `9` is outside the text of 5 characters"),
            ("state.name.substring(3, 2)", "fault: the part from `3` to `2` ends before it begins"),
            ("state.name.substring(5)", "\"\""), ("state.name.substring(2, 2)", "\"\""),
        ] {
            #expect(outcome(expression, world) == wanted, "\(expression)")
        }
    }

    @Test("of bytes that are not UTF-8 are those of the repaired text")
    func invalid() throws {
        var world = World()
        let memory = unsafe world.state.unsafeMutableBase() + World.stateType.field("name")!.offset
        unsafe ([0x80, 0x80, 0x63, 0x64] as [UInt8]).withUnsafeBytes {
            unsafe ValueMemory.storeBytes($0, to: memory)
        }
        #expect(outcome("state.name.substring(1)", world) == "\"\u{FFFD}cd\"")
        #expect(outcome("size(state.name.split(''))", world) == "4")
        #expect(outcome(#"state.name.replace('\uFFFD', '!')"#, world) == "\"!!cd\"")
    }

    @Test("are found in linear time, whatever they repeat")
    func linearTime() throws {
        var world = World()
        try world.set("name", .string(String(repeating: "a", count: 200_000)))
        try world.set("title", .string(String(repeating: "a", count: 100_000) + "b"))
        #expect(outcome("state.name.split(state.title).size()", world) == "1")
        #expect(outcome("state.name.replace(state.title, '').size()", world) == "200000")
        #expect(outcome("state.name.split('aab').size()", world) == "1")
    }
}
