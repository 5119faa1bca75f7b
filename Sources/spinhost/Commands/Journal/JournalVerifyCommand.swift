import App
import ArgumentParser
import Journal
import Manifest
import Records

/// `spinhost journal verify`
struct JournalVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check every entry of a journal, its checksums included.",
        discussion: "With `--reduce` it also makes every step again, with the reducers of the manifest.")

    @OptionGroup var journal: JournalOptions

    @Flag(help: "Make every step again, and show the first one with another result.")
    var reduce = false

    @OptionGroup var manifestOptions: ManifestOptions
    @OptionGroup var libraryOptions: LibraryOptions
    @OptionGroup var outputOptions: OutputOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws {
        try runOptions.refuse()
        if libraryOptions.libraries, !reduce { throw ValidationError("`--libraries` needs `--reduce`") }
    }

    func run() throws {
        let output = try CommandOutput()
        guard reduce else {
            return try journal.read(showing: "checking", if: !outputOptions.json) {
                try verified($0.all(), $0, output)
            }
        }
        let path = manifestOptions.manifest
        let manifest = try LoadedManifest.load(path, overrides: [])
        let libraries = try libraryOptions.load(
            manifest, of: manifest.loops, path: path, verb: "verify", log: runOptions)
        defer { libraries?.close() }
        try JournalReduction(manifest, libraries, journal, outputOptions).compare(output) {
            try verified($0, $1, output)
        }
    }

    /// Prints that a journal is whole.
    ///
    /// - Parameter point: what was read of all entries.
    /// - Throws: an exit code when it is damaged, after that was printed.
    private func verified(
        _ point: JournalReader.Point, _ reader: JournalReader, _ output: CommandOutput
    ) throws {
        if let damage = point.damage {
            ErrorOutput.line("error: `\(journal.file)` is \(damage.description)")
            throw ExitStatus.no
        }
        let size = try reader.store.size()
        let (entries, bytes) = (point.state.next - 1, size.chunkBytes + size.snapshotBytes)
        guard !outputOptions.json else {
            return try output.line(
                Value.record([
                    ("ok", .bool(true)), ("entries", .int(Int64(clamping: entries))),
                    ("chunks", .int(Int64(size.chunks))), ("snapshots", .int(Int64(size.snapshots))),
                    ("epochs", .int(Int64(point.state.epochs))), ("bytes", .int(Int64(bytes))),
                ]).json)
        }
        try output.line(
            "ok: \(Self.entries(entries)) in \(CountText.count(size.chunks, "chunk")), \(CountText.count(size.snapshots, "snapshot")), \(CountText.count(point.state.epochs, "epoch")), \(Self.bytes(bytes))"
        )
    }

    private static func entries(_ count: UInt64) -> String {
        "\(CountText.grouped(Int(clamping: count))) \(count == 1 ? "entry" : "entries")"
    }

    private static func bytes(_ count: Int) -> String {
        switch count {
        case ..<1000: "\(count) B"
        case ..<1_000_000: "\(count / 1000) kB"
        default: "\(CountText.grouped(count / 1_000_000)) MB"
        }
    }
}
