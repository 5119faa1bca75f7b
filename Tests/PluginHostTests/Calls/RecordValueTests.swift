import Foundation
import Interfaces
import PluginHost
import Records
import TestSupport
import Testing

/// Structs of `SPIN_RECORD`, lists and optionals as parameters, results and emissions, in C and in C++.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RecordValueTests {
    private let host: TestHost

    init() throws { host = try TestHost() }

    private enum Language: String, CaseIterable { case c, cpp }

    private func open(_ language: Language, isGuarded: Bool = false) throws -> PluginImage {
        let source = try PluginFixture.source("records.c")
        return try host.open(
            path: try PluginFixture.path(source: source, as: "records.\(language.rawValue)"),
            isGuarded: isGuarded)
    }

    private static func point(_ x: Double, _ y: Double) -> Value {
        .record([("x", .double(x)), ("y", .double(y))])
    }

    private func emitted(
        _ image: PluginImage, _ effect: String, _ argument: Value
    ) throws -> (status: Value?, heard: [String]) {
        let sink = RecordingSink(image)
        let token = try host.services.begin(sink, for: image, effect: effect)
        return (try host.call(image, effect, for: token, argument), sink.heard.all)
    }

    @Test(arguments: Language.allCases, [0, 1, 10_000])
    private func `a list of structs is emitted`(language: Language, count: Int) throws {
        let image = try open(language)
        let (status, heard) = try emitted(image, "emit_points", .uint(UInt64(count)))
        #expect(status == .int(0))
        let points = (0..<count).map { Self.point(Double($0), -Double($0)) }
        let measured = Value.record([("points", .list(points)), ("best", points.last ?? .null)])
        #expect(heard == ["measured \(measured.json)"])
    }

    @Test(arguments: Language.allCases)
    private func `a struct alone is emitted`(language: Language) throws {
        let (_, heard) = try emitted(try open(language), "emit_place", Self.point(0.5, -3))
        #expect(heard == [#"placed {"at":{"x":0.5,"y":-3.0}}"#])
    }

    private static let tracks =
        #"{"tracks":[{"name":"first","points":[{"x":1.0,"y":2.0},{"x":3.0,"y":4.0}],"best":null,"codes":[7,0,-7]},"#
        + #"{"name":"second","points":[],"best":{"x":5.0,"y":0.0},"codes":[0,0,0]}],"names":["first","","second"],"#

    @Test(arguments: Language.allCases)
    private func `structs in structs are copied whole before the emitter returns`(language: Language) throws {
        let image = try open(language)
        let rest = #""note":"note","flags":[false,true,true],"code":null}"#
        let (status, heard) = try emitted(image, "emit_tracks", .int(0))
        #expect(status == .int(0))
        #expect(heard == ["tracked \(Self.tracks)\(rest)"])
        // The value of an absent optional means nothing.
        let absent = try emitted(image, "emit_tracks", .int(6))
        #expect(
            absent.heard == [
                "tracked \(Self.tracks)\(rest.replacing("\"note\":\"note\"", with: "\"note\":null"))"
            ])
    }

    private static let mistakes: [(change: Int64, reason: String)] = [
        (1, "`tracks[1].name`: the text is not UTF-8 at byte 1"),
        (2, "`tracks[1].points`: a null pointer comes with a size of 3"),
        (3, "`tracks[0].points`: a size of \(UInt.max / 4) is beyond the limit of 1 GiB"),
        (4, "`names[1]`: a null pointer comes with a size of 1"),
        (5, "`note`: a null pointer comes with a size of 4"),
    ]

    @Test(arguments: mistakes, [false, true])
    func `a bad value within an emission is refused and named`(
        mistake: (change: Int64, reason: String), isGuarded: Bool
    ) throws {
        let image = try open(.c, isGuarded: isGuarded)
        let (status, heard) = try emitted(image, "emit_tracks", .int(mistake.change))
        #expect(status == .int(-5))
        #expect(heard == ["rejected tracked: \(mistake.reason)"])
    }

    @Test(arguments: [
        (7, "`tracks`: a value of 128 bytes lies at 0x10, which cannot be read"),
        (8, "`tracks[1].points`: a value of 16 bytes lies at 0x10, which cannot be read"),
        (9, "`note`: a value of 4 bytes lies at 0x10, which cannot be read"),
    ])
    func `items of a guarded plugin that cannot be read are refused and named`(
        change: Int64, reason: String
    ) throws {
        let (status, heard) = try emitted(try open(.c, isGuarded: true), "emit_tracks", .int(change))
        #expect(status == .int(-5))
        #expect(heard == ["rejected tracked: \(reason)"])
    }

    @Test(arguments: Language.allCases)
    private func `structs, lists and optionals are parameters and results`(language: Language) throws {
        let image = try open(language)
        let points = Value.list([Self.point(1, 2), Self.point(3, 4)])
        #expect(try host.call(image, "sum", points, .null) == .double(10))
        #expect(try host.call(image, "sum", .list([]), Self.point(5, 6)) == .double(11))
        #expect(
            try host.call(image, "middle", Self.point(0, 2), Self.point(1, 4)) == Self.point(0.5, 3))
        let track = Value.record([
            ("name", .string("abc")), ("points", points), ("best", Self.point(7, 8)),
            ("codes", .list([.int(1), .int(2), .int(3)])),
        ])
        #expect(try host.call(image, "length", track, points) == .double(9))
        #expect(try host.call(image, "last", .list([track])) == track)
        #expect(try host.call(image, "ratio", .int(3), .int(2)) == .double(1.5))
        #expect(try host.call(image, "ratio", .int(3), .int(0)) == .null)
        #expect(
            try host.call(image, "words", .string("begin")) == .list([.string("begin"), .string("end")]))
        #expect(try host.call(image, "words", .null) == .list([.string("none"), .string("end")]))
        let function = try #require(image.description?.effect("mirror")).function
        let call = try prepare(
            function, at: try image.effect("mirror"), [.value(Self.point(1, 2)), .out(1)])
        try call.invoke()
        #expect(outcome(call)["out"]?["to"] == Self.point(2, 1))
    }

    @Test(arguments: [false, true])
    func `a result with a bad list is a fault of the call`(isGuarded: Bool) throws {
        let image = try open(.c, isGuarded: isGuarded)
        let error = try #require(
            #expect(throws: PluginError.self) { try host.call(image, "broken") })
        #expect(
            error.message
                == "`broken` returned a value that is not of its type: `points`: a null pointer comes with a size of 1"
        )
    }

    @Test(arguments: ["double x; double y; double z;", "float x; float y;"])
    func `a struct of another size than its note says is refused`(members: String) throws {
        let source = """
            #include <spinhost/plugin.h>
            SPIN_PLUGIN("sizes", "1.0");
            typedef struct point { \(members) } point;
            SPIN_NOTE_AND_LIST_RECORD(point, "struct point { double x; double y; }");
            """
        let path = try PluginFixture.path(source: source, as: "sizes.c \(members)")
        let error = try #require(
            #expect(throws: PluginError.self) { try host.open(path: path) })
        #expect(error.code == .contradictoryPlugin)
        #expect(
            error.message.hasSuffix(
                ": record `point` has \(members.hasPrefix("double") ? 24 : 8) bytes, its declaration 16"))
    }

    @Test(arguments: [(true, nil), (false, "`struct p { double x; }` and `struct p { float x; }`")])
    func `files of one library share a struct, and cannot have two of one name`(
        isSame: Bool, refusal: String?
    ) throws {
        let folder = try TemporaryFolder()
        let include = "-I\(Project.root.path)/Sources/CPluginABI/include"
        let second = try folder.write(
            "second.c", "#include <spinhost/plugin.h>\nSPIN_RECORD(p, (\(isSame ? "double" : "float"), x));\n"
        )
        let path = try CCompiler().sharedObject(
            "#include <spinhost/plugin.h>\nSPIN_PLUGIN(\"two\", \"1.0\");\nSPIN_RECORD(p, (double, x));\n",
            in: folder, as: "two.so", flags: [include, second])
        guard let refusal else {
            #expect(try host.open(path: path).description?.records.map(\.name) == ["p"])
            return
        }
        let error = try #require(#expect(throws: PluginError.self) { try host.open(path: path) })
        #expect(error.message == "plugin `two` declares record `p` twice: \(refusal)")
    }
}
