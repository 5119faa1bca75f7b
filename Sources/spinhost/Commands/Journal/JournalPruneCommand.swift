import App
import ArgumentParser
import Journal
import Manifest

/// `spinhost journal prune`
struct JournalPruneCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Remove the oldest entries of a journal that no app writes to.",
        discussion: "`keep` in the manifest does the same while the app runs.")

    @OptionGroup var journal: JournalOptions

    @Option(
        help: ArgumentHelp(
            "What stays: a time such as `7d`, a size such as `2GiB`, or a number of entries.",
            valueName: "rest"),
        transform: { text in
            guard let keep = JournalModel.Retention(text) else {
                throw ValidationError("`\(text)` is no time such as `7d`, size such as `2GiB`, or number")
            }
            return keep
        })
    var keep: JournalModel.Retention

    @OptionGroup(visibility: .hidden) var noManifest: NoManifestOptions

    func run() throws {
        let output = try CommandOutput()
        do {
            let store = try SQLiteStore(path: journal.file, .write(create: nil, durability: .full))
            defer { store.close() }
            let first = try store.size().first
            let before = try JournalReader(store).point(after: first > 0 ? first - 1 : 0).state.next
            let cut = try ProgressLine.show("pruning \(journal.file)", counting: ("entry", "entries")) {
                progress in
                try Snapshotter.cut(
                    store, keeping: Snapshotter.Retention(keep), now: JournalTime.now,
                    reached: { progress?.report(done: Int(clamping: $0.next - 1)) })
            }
            guard let position = cut else {
                return try output.line("nothing to remove: the first entry is @\(before)")
            }
            let removed = position - before
            let words = removed == 1 ? "1 entry" : "\(CountText.grouped(Int(clamping: removed))) entries"
            try output.line("removed \(words): the first entry is @\(position)")
        } catch let error as JournalError { throw JournalFault.report(error, of: journal.file) }
    }
}
