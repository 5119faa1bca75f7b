import ArgumentParser
import Journal

/// `spinhost journal verify`
struct JournalVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check every entry of a journal, its checksums included.")

    @OptionGroup var journal: JournalOptions
    @OptionGroup(visibility: .hidden) var runOptions: RunOptions

    func validate() throws { try runOptions.refuse() }

    func run() throws {
        let output = try CommandOutput()
        try journal.read { reader in
            let point = try reader.all()
            if let damage = point.damage {
                ErrorOutput.line("error: `\(journal.file)` is \(damage.description)")
                throw ExitStatus.no
            }
            let size = try reader.store.size()
            try output.line(
                "ok: \(Self.entries(point.state.next - 1)) in \(CountText.count(size.chunks, "chunk")), \(CountText.count(size.snapshots, "snapshot")), \(CountText.count(point.state.epochs, "epoch")), \(Self.bytes(size.chunkBytes + size.snapshotBytes))"
            )
        }
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
