public import Foundation
import Records
import TestSupport

extension FuzzTarget {
    private static let fixtures = Project.root.appendingPathComponent("Tests/Fixtures")

    /// The folder of the target's own seeds and of the inputs that have failed.
    public var folder: URL { Self.fixtures.appendingPathComponent("fuzz/\(rawValue)") }

    /// The inputs that mutations start from: the files of `folder`, and the fixtures of other tests.
    public func seeds() throws -> [[UInt8]] {
        var seeds = try Self.files(in: folder)
        switch self {
        case .manifests:
            seeds += try Self.files(in: Self.fixtures.appendingPathComponent("manifests"), "toml")
            seeds += try Self.files(in: Self.fixtures.appendingPathComponent("headers"), "toml")
            for name in ["hostwatch", "levels", "pipeline", "volume"] {
                seeds += try Self.files(in: Project.root.appendingPathComponent("examples/\(name)"), "toml")
            }
        case .expressions:
            for bytes in try Self.files(in: Self.fixtures.appendingPathComponent("expressions"), "jsonl") {
                for line in bytes.split(separator: UInt8(ascii: "\n")) {
                    let value = try Value(json: String(decoding: line, as: UTF8.self))
                    if case .string(let text)? = value["expr"] { seeds.append(Array(text.utf8)) }
                }
            }
        case .prototypes:
            for name in ["call-signatures.txt", "declaration-faults.txt"] {
                let file = Self.fixtures.appendingPathComponent("interfaces/\(name)")
                for part in try String(contentsOf: file, encoding: .utf8).split(separator: "---- ") {
                    seeds.append(Array(part.prefix { $0 != "\n" }.utf8))
                }
            }
        case .recordings: break
        case .libraries: seeds += try Self.libraries()
        case .tables: seeds += [[], TableInput.seed(tail: 0), TableInput.seed(tail: 3)]
        case .journal: seeds += JournalInput.seeds
        case .workers: seeds += WorkerInput.seeds
        case .hosts: seeds += HostInput.seeds
        }
        return seeds
    }

    /// Writes the seeds into a folder for libFuzzer. Their words go into a file beside the folder,
    /// `PATH.dict`.
    public func prepare(in path: String) throws {
        let folder = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let seeds = try seeds()
        for (index, bytes) in seeds.enumerated() {
            try Data(bytes).write(to: folder.appendingPathComponent("seed-\(index)"))
        }
        var words: Set<Substring> = []
        if ![.libraries, .tables, .journal, .workers, .hosts].contains(self) {
            for bytes in seeds {
                words.formUnion(
                    String(decoding: bytes, as: UTF8.self).split { character in
                        !(character.isASCII && (character.isLetter || character.isNumber || character == "_"))
                    }.filter { (2...32).contains($0.utf8.count) })
            }
        }
        let lines = words.sorted().map { "\"\($0)\"\n" }.joined()
        try Data(lines.utf8).write(to: URL(fileURLWithPath: path + ".dict"))
    }

    private static func files(in folder: URL, _ ending: String? = nil) throws -> [[UInt8]] {
        let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
        let files = all?.compactMap { $0 as? URL } ?? []
        return try files.sorted { $0.path < $1.path }
            .filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
            .filter { ending == nil || $0.pathExtension == ending }
            .map { [UInt8](try Data(contentsOf: $0)) }
    }

    /// Small libraries for this machine: one with notes of a plugin, one without.
    private static func libraries() throws -> [[UInt8]] {
        let folder = try TemporaryFolder()
        let include = Project.root.appendingPathComponent("Sources/CPluginABI/include").path
        return try ["levels", "reducers", "tracks", "plain"].flatMap { name in
            let file = fixtures.appendingPathComponent("manifests/libraries/\(name).c")
            let source = try String(contentsOf: file, encoding: .utf8)
            return try ["gnu", "sysv"].map { hash in
                let path = try CCompiler().sharedObject(
                    source, in: folder, as: "\(name).so",
                    flags: [
                        "-I", include, "-nostdlib", "-s", "-Wl,--hash-style=\(hash)",
                        "-Wl,-z,noseparate-code",
                    ])
                return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
            }
        }
    }
}
