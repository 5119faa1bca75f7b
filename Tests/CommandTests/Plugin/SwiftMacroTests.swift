import Foundation
import TestSupport
import Testing

/// What the macros of `SpinPlugin` refuse, with the compiler's messages.
@Suite(.timeLimit(.minutes(10))) struct SwiftMacroTests {
    private static let module = Project.root.appendingPathComponent("build/SpinPlugin").path

    /// The errors of a source, each with its line.
    private func errors(_ source: String) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = try folder.write("plugin.swift", "import SpinPlugin\n\(source)\n")
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        let outcome = try Shell.run(
            "swiftc",
            [
                "-typecheck", "-swift-version", "6", "-parse-as-library", "-I", Self.module, "-I", include,
                "-load-plugin-executable", "\(Self.module)/SpinPluginMacros#SpinPluginMacros", file,
            ])
        return outcome.errors.split(separator: "\n").compactMap { line in
            line.firstMatch(of: #/^[^|]*:(\d+):\d+: error: (.+?)( \(from macro '.*)?$/#).map {
                "\($0.1): \($0.2)"
            }
        }
    }

    @Test func `declarations of each kind compile`() throws {
        let errors = try errors(
            """
            #plugin("all", "1.0.0")
            /** A comment. */ @Effect(failsIf: "result < 0") public func one(_ n: Int32, to m: Int32 = 1) -> Int32 { n }
            @Emitter("two") @discardableResult private func second(_ call: Call) -> Status
            @Emitter func four(_ call: Call, for `in`: Int64, `where`: String) -> Status
            @Effect nonisolated func three(call: Call, _ object: Object) throws { second(call) }
            @Settings public struct Values { /// Doc.
                public var a: Double = -0.5; @Limits(-1...1) public var b: Int8 = 0 }
            @Instance @Life @Swap(schema: 0x10) public final class Object: Life {
                public init(_ call: Call, settings: Values) {}
                public func start(_ call: Call) {}
                public func stop() {}
                public func save(_ call: Call) -> [UInt8] { [] }
                public func restore(_ call: Call, _ saved: SavedState) {}
            }
            """)
        #expect(errors == [])
    }

    @Test(arguments: [
        ("@Effect func f(_ n: Int) {}", "a plugin cannot pass `Int`; write `Int64`"),
        ("@Effect func f(_ n: Int64, _ o: Character) {}", "a plugin cannot pass `Character`"),
        ("@Effect func f(_ n: Int64) -> String { \"\" }", "an effect cannot return `String`: emit it"),
        ("@Effect func f(_ n: Int64, _ call: Call) {}", "the call comes first"),
        ("@Effect func f<T>(_ n: T) {}", "a function of a plugin is not generic"),
        (
            "@Effect func f() throws {}",
            "an effect that is `async` or throws takes a `Call` first and returns nothing"
        ),
        (
            "struct S { @Effect func f() {} }",
            "`@Effect` is for declarations outside of types and functions"
        ),
        ("@Effect struct S {}", "it is for a function"),
        (
            "@Emitter func e(text: String) -> Status",
            "an emitter takes a `Call` first and returns a `Status`: `func e(_ call: Call, text: String) -> Status`"
        ),
        ("@Emitter func e(_ call: Call, _ all: [String]) -> Status", "no event has `[String]`"),
        (
            "@Settings struct S { let a: Int64 = 1 }",
            "the settings are variables with a type: `var rate: Int32 = 9600`"
        ),
        ("@Settings struct S { var a: Int64 = 1 + 1 }", "a literal is expected in place of `1+1`"),
        ("@Settings struct S { var a: Int64 = .max }", "a literal is expected in place of `.max`"),
        ("@Settings struct S {}", "`@Settings` is for a struct with variables"),
        ("@Life struct S {}", "`@Life` is for a class"),
        ("let id = \"a\"\n#plugin(id, \"1\")", "write `#plugin(\"id\", \"version\")` with two literals"),
    ])
    func `a wrong use is an error that says how to write it`(_ source: String, _ message: String) throws {
        let errors = try errors(source)
        #expect(errors.contains { $0.hasSuffix(": \(message)") }, "\(errors)")
    }

    @Test func `the error is at the type that is wrong`() throws {
        let errors = try errors("\n\n/// Doc.\n@Effect\nfunc f(_ n: Int64,\n    _ o: Character) {}")
        #expect(errors == ["7: a plugin cannot pass `Character`"])
    }

    @Test func `an effect can only take the class of the instances`() throws {
        let errors = try errors("final class Other {}\n@Effect func f(_ other: Other) {}")
        #expect(errors.contains { $0.contains("requires that 'Other' conform to 'Instance'") }, "\(errors)")
    }
}
