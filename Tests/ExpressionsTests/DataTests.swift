import Expressions
import Records
import Testing

@Suite("texts that hold data")
struct DataTests {
    private func world(_ title: String) throws -> World {
        var world = World()
        try world.set("title", .string(title))
        return world
    }

    @Test(
        "JSON is decoded into an optional",
        arguments: [
            (#"{"a": [1, 2.5, null, "x"], "b": {}}"#, #"optional({"a": [1, 2.5, null, "x"], "b": {}})"#),
            ("null", "optional(null)"), (" 18446744073709551615 ", "optional(18446744073709551615u)"),
            (#"{"e\u0301":1,"\u00e9":2}"#, "optional({\"e\u{301}\": 1, \"\u{e9}\": 2})"), ("", "none"),
            ("{", "none"), ("1 2", "none"), (#"{"a": 1, "a": 2}"#, "none"), ("1e999", "none"),
            (String(repeating: "[", count: 100_000), "none"),
        ])
    func json(text: String, wanted: String) throws {
        #expect(outcome("json.decode(state.title)", try world(text)) == wanted)
    }

    @Test(
        "values of JSON are used and stored",
        arguments: [
            ("json.decode(state.title).?price.orValue(0.0)", "2.5"),
            ("json.decode('no').?price.orValue(0.0)", "0.0"),
            ("json.decode(state.title).?tags[?1].orValue('')", #""b""#),
            ("json.encode(json.decode(state.title).value())", ##""{\"price\":2.5,\"tags\":[\"a\",\"b\"]}""##),
            (
                "json.encode({'at': now, 'raw': b'ab'})",
                ##""{\"at\":\"1970-01-01T00:00:01Z\",\"raw\":\"YWI=\"}""##
            ),
            ("json.encode(state.maybe)", #""null""#),
            ("json.decode(state.title).value().prize", "fault: the map has no key `\"prize\"`"),
            ("json.decode(1)", "load: `json.decode` does not take int"),
        ])
    func uses(text: String, wanted: String) throws {
        #expect(outcome(text, try world(#"{"price": 2.5, "tags": ["a", "b"]}"#)) == wanted)
    }

    @Test func aDecodedValue_isStoredOnlyIfItFits() throws {
        let type = ValueType.record(RecordType([("price", .double), ("tags", .list(.string))]))
        let text = "json.decode(state.title).value()"
        #expect(
            stored(text, as: type, try world(#"{"price": 2.5, "tags": ["a"]}"#))
                == #"{"price": 2.5, "tags": ["a"]}"#)
        #expect(stored(text, as: type, try world(#"{"price": "2", "tags": []}"#)).hasPrefix("fault: E038"))
        #expect(stored(text, as: type, try world(#"{"tags": []}"#)).hasPrefix("fault: E038"))
    }

    @Test(
        "rows are read as RFC 4180 has them",
        arguments: [
            ("", "optional([])"), ("a", #"optional([["a"]])"#),
            ("a,b\r\nc,\n", #"optional([["a", "b"], ["c", ""]])"#),
            (",\n", #"optional([["", ""]])"#), ("\u{FEFF}a\n\n\r\nb", #"optional([["a"], ["b"]])"#),
            ("\"a,\"\"b\"\"\r\nc\",d", #"optional([["a,\"b\"\r\nc", "d"]])"#), ("\"\"", #"optional([[""]])"#),
            ("a\rb", #"optional([["a\rb"]])"#), ("a,b\r", #"optional([["a", "b"]])"#),
            ("\"a\"\r", #"optional([["a"]])"#), ("é,🙂", #"optional([["é", "🙂"]])"#),
            ("a\"b", "none"), ("\"a\"b", "none"), ("\"a", "none"), ("\"", "none"), ("\"\"\"", "none"),
        ])
    func rows(text: String, wanted: String) throws {
        #expect(outcome("csv.decode(state.title)", try world(text)) == wanted)
    }

    @Test(
        "separators and fields",
        arguments: [
            ("csv.decode('a;b,c', ';')", #"optional([["a", "b,c"]])"#),
            ("csv.encode([[1, 2u, 0.5, true, null, 'a b']])", #""1,2,0.5,true,,a b\n""#),
            ("csv.encode([])", #""""#),
            ("csv.encode([[]])", "load: a row has at least one field"),
            ("csv.encode(json.decode('[[1,\"a\"],[2]]').value())", #""1,a\n2\n""#),
            ("csv.encode(json.decode('[[1],[2,3]]').value().filter(r, size(r) > 1))", #""2,3\n""#),
            ("csv.encode(json.decode('[1,2]').value())", "load: a row is a list, found int"),
            (
                "csv.encode(json.decode('[[{}]]').value())",
                "load: a field is a text, a number, a bool or null, found map"
            ),
            ("csv.encode(json.decode('{}').value())", "load: `csv.encode` does not take map"),
            (
                "csv.encode(json.decode('[' + string(size(state.title)) + ']').value())",
                "fault: a row is a list, found int"
            ),
            ("csv.encode([state.title])", "fault: a row is a list, found string"),
            ("csv.encode([['a\tb', 'c,d']], '\\t')", #""\"a\tb\"\tc,d\n""#),
            ("csv.encode([[now]])", "fault: a field is a text, a number, a bool or null, found timestamp"),
            ("csv.decode('a', state.title)", "fault: `ab` cannot be a separator"),
            ("csv.encode([1])", "load: a row is a list, found int"),
        ])
    func separators(text: String, wanted: String) throws { #expect(outcome(text, try world("ab")) == wanted) }

    @Test func aText_mayNotBecomeTooLong() throws {
        let text = "json.encode(json.encode(json.encode(state.title)))"
        let quotes = try world(String(repeating: "\"", count: 1 << 20))
        #expect(outcome(text, quotes) == "fault: the text has more than the 4194304 bytes allowed")
        #expect(
            outcome("csv.encode([[state.title + state.title]])", quotes)
                == "fault: the text has more than the 4194304 bytes allowed")
    }

    @Test("every row of two fields is read as it was written", arguments: ["','", "';'", "'a'"])
    func roundTrip(separator: String) throws {
        let characters = ["a", ",", ";", "\"", "\n", "\r", "\u{FEFF}"]
        let fields = [""] + characters + characters.flatMap { first in characters.map { first + $0 } }
        let text = """
            csv.decode(csv.encode([state.names, [state.name]], \(separator)), \(separator))
                == optional.of([state.names, [state.name]])
            """
        var world = World()
        for first in fields {
            try world.set("name", .string(first))
            for second in fields {
                try world.set("names", .list([.string(first), .string(second)]))
                #expect(
                    try world.evaluate(text) == .bool(true),
                    "\(first.debugDescription), \(second.debugDescription)")
            }
        }
    }
}
