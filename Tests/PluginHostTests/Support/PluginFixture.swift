import Foundation
import HostLoop
import Interfaces
import PluginHost
import Records
import TestSupport
import Testing

/// Compiles libraries for tests, each once per run.
enum PluginFixture {
    private static let folder = Result { try TemporaryFolder() }
    private static let built = Lock<[String: Result<String, any Error>]>([:])

    private static let root = Project.root

    /// The shared object made of `Tests/Fixtures/plugins/NAME`, such as `text.c`.
    static func path(_ name: String, flags: [String] = []) throws -> String {
        try compile(name, flags) { try source(name) }
    }

    /// The text of `Tests/Fixtures/plugins/NAME`.
    static func source(_ name: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent("Tests/Fixtures/plugins/\(name)"), encoding: .utf8)
    }

    /// The shared object made of `plugins/std`.
    static func standardPlugin() throws -> String {
        let folder = root.appendingPathComponent("plugins/std")
        let others = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            .filter { $0.hasSuffix(".c") && $0 != "std.c" }
        let flags = ["-I\(folder.path)", "-I\(folder.path)/include"] + others.map { "\(folder.path)/\($0)" }
        return try compile("std.c", flags) {
            try String(contentsOf: folder.appendingPathComponent("std.c"), encoding: .utf8)
        }
    }

    /// The shared object made of a source that a test wrote.
    static func path(source: String, as name: String) throws -> String {
        try compile(name, []) { source }
    }

    private static func compile(
        _ name: String, _ flags: [String], _ source: () throws -> String
    ) throws -> String {
        try built.withLock { built in
            let key = "\(name) \(flags)"
            if let known = built[key] { return known }
            let result = Result {
                let product = "\(name.replacingOccurrences(of: ".", with: "-"))-\(built.count).so"
                return try CCompiler(name.hasSuffix(".cpp") ? "c++" : "cc").sharedObject(
                    try source(), in: try folder.get(), as: product,
                    flags: ["-I\(root.path)/Sources/CPluginABI/include", "-pthread", "-w"] + flags)
            }
            built[key] = result
            return result
        }.get()
    }
}

/// A host for one test: staging folder, clock that stands still, and what plugins logged and printed.
final class TestHost: Sendable {
    let staging: StagingDirectory
    let services: HostServices
    let clock = StandingClock()
    let log: Collected<PluginLogLine>
    let output: Collected<String>

    init(accepts: @escaping @Sendable (String) -> Bool = { _ in true }) throws {
        let (log, output) = (Collected<PluginLogLine>(), Collected<String>())
        (self.log, self.output) = (log, output)
        staging = try StagingDirectory()
        services = HostServices(
            clock: clock, wallTime: { 1_700_000_000_000_000_000 }, log: { log.append($0) },
            output: { line in
                output.append(line)
                return accepts(line)
            })
    }

    /// Loads the fixture of that name.
    func open(_ fixture: String, flags: [String] = [], isGuarded: Bool = false) throws -> PluginImage {
        try open(path: try PluginFixture.path(fixture, flags: flags), isGuarded: isGuarded)
    }

    func open(path: String, isGuarded: Bool = false) throws -> PluginImage {
        try PluginImage.open(.file(path), isGuarded: isGuarded, staging: staging, services: services)
    }

    func open(system name: String) throws -> PluginImage {
        try PluginImage.open(.system(name), staging: staging, services: services)
    }

    /// Calls an effect that takes `spin_call *`, or any other of a plugin, and returns its `result`.
    func call(
        _ image: PluginImage, _ effect: String, for token: CallToken? = nil, _ arguments: Value...
    ) throws -> Value? {
        let function = try #require(image.description?.effect(effect)).function
        let call = try prepare(
            function, at: try image.effect(effect), arguments.map { .value($0) }, token: token)
        try call.invoke()
        return outcome(call)["result"]
    }
}

/// An argument in a test.
enum Argument {
    case value(Value)
    case out(Int, CallArgument.OutForm = .elements)
    case inOut(Value, Int? = nil, CallArgument.OutForm = .elements)
    case null

    /// What the signature is told.
    var kind: CallArgument {
        switch self {
        case .value: .input
        case .out(let count, let form): .out(count: count, as: form)
        case .inOut(_, let count, let form): .inOut(count: count, as: form)
        case .null: .null
        }
    }

    /// What is handed in.
    var given: Value? {
        switch self {
        case .value(let value), .inOut(let value, _, _): value
        case .out, .null: nil
        }
    }
}

/// A call with stored arguments, ready to be invoked.
func prepare(
    _ function: CFunction, at address: FunctionAddress, _ arguments: [Argument], token: CallToken? = nil,
    release: FunctionAddress? = nil
) throws -> PreparedCall {
    let signature = try CallSignature(function, arguments: arguments.map(\.kind))
    let call = PreparedCall(try CallInterface(signature, of: address, release: release))
    var field = 0
    for value in arguments.compactMap(\.given) {
        // Safe because the address is that of an initialised field of the type.
        unsafe try ValueMemory.store(
            value, to: call.inputAddress(field), as: signature.inputs.fields[field].type)
        field += 1
    }
    if let token { call.setCall(token) }
    return call
}

/// The outcome of a call as a map.
func outcome(_ call: PreparedCall) -> Value {
    // Safe because the outcome is a record of the signature's type.
    unsafe ValueMemory.load(call.outcomeAddress, as: .record(call.interface.signature.outcome))
}

/// Calls a function that a C library exports; `declarations` hold its prototype and what that needs.
func call(
    _ image: PluginImage, _ declarations: String, _ name: String? = nil, _ arguments: Argument...,
    release: String? = nil
) throws -> Value {
    let declared = CDeclarations(parsing: declarations.hasSuffix(";") ? declarations : declarations + ";")
    if let fault = declared.faults.first { throw fault }
    let function = try #require(name.map { declared.function($0) } ?? declared.functions.first)
    let prepared = try prepare(
        function, at: try image.address(of: function.name), arguments,
        release: try release.map { try image.address(of: $0) })
    try prepared.invoke()
    return outcome(prepared)
}
