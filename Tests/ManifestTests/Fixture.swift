import Foundation
import Interfaces
import Manifest
import TestSupport

/// The manifests of `Tests/Fixtures/manifests` beside libraries that the C compiler made for them.
struct Fixture {
    /// Where the sources are.
    static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("Fixtures/manifests")

    /// A folder with all manifests and libraries, made once.
    static let shared = Result { try Fixture() }

    /// What `machine.so` is for.
    static let otherMachine: ELFMachine = ELFMachine.host == .x86_64 ? .aarch64 : .x86_64

    let folder: TemporaryFolder

    private init() throws {
        folder = try TemporaryFolder()
        let include = Self.sources.appendingPathComponent("../../../Sources/CPluginABI/include").standardized
            .path
        for name in [
            "levels", "web", "plain", "alone", "swapped", "checked", "elsewhere", "reducers", "settings",
            "tracks",
        ] {
            let source = try String(
                contentsOf: Self.sources.appendingPathComponent("libraries/\(name).c"), encoding: .utf8)
            // Compilers differ in whether a library needs the C library that it does not use.
            let flags = ["-I", include] + (name == "alone" ? ["-nostdlib"] : [])
            _ = try CCompiler().sharedObject(source, in: folder, as: "\(name).so", flags: flags)
        }
        var library = try Data(contentsOf: folder.url("plain.so"))
        try library.prefix(40).write(to: folder.url("cut.so"))
        // `e_machine` of the ELF header.
        library[18] = UInt8(Self.otherMachine.rawValue)
        try library.write(to: folder.url("machine.so"))
        try folder.write("text.so", "This is no library.\n")
        try folder.write("empty.so", "")
        try FileManager.default.createDirectory(
            at: folder.url("folder.so"), withIntermediateDirectories: false)
        for (name, file) in Self.files {
            try FileManager.default.copyItem(at: file, to: folder.url("\(name).toml"))
        }
    }

    /// The manifests' names, in order.
    static let names: [String] = files.keys.sorted()

    /// The manifests by their names, whichever folder each is in.
    private static let files: [String: URL] = {
        let all = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        let files = (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "toml" }
        return Dictionary(
            uniqueKeysWithValues: files.map { ($0.deletingPathExtension().lastPathComponent, $0) })
    }()

    /// The file of one of the manifests.
    static func source(_ name: String) -> URL {
        files[name] ?? sources.appendingPathComponent("\(name).toml")
    }

    /// The file with what a user reads about it.
    static func expectation(_ name: String) -> URL {
        source(name).deletingPathExtension().appendingPathExtension("expected")
    }

    /// What `std` offers, as its notes say it.
    static let standardPlugin = try! PluginDescription(notes: [
        PluginNote(.plugin, ["2.0", "std", "1.0.0"]),
        PluginNote(.emitter, ["ticked", "void ticked(int64_t count)", ""]),
        PluginNote(
            .effect, ["every", "void every(spin_call *call, spin_duration interval)", "", "Emits `ticked`."]),
        PluginNote(.effect, ["print", "int32_t print(spin_string text)", "result < 0", "Prints a line."]),
    ])

    /// Loads one of the manifests.
    func load(_ name: String, overrides: [String] = []) -> Manifest.Loaded {
        Manifest.load(
            path: folder.url("\(name).toml").path, standardPlugin: Self.standardPlugin, overrides: overrides)
    }

    /// Loads a text as the manifest `name`.
    func load(text: String, as name: String, overrides: [String] = []) throws -> Manifest.Loaded {
        Manifest.load(
            path: try folder.write("\(name).toml", text), standardPlugin: Self.standardPlugin,
            overrides: overrides)
    }
}
