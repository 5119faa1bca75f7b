import Diagnostics
import Interfaces
import Records

extension ManifestDecoder {
    /// The journal of the app, as far as it is decoded.
    enum Journal {
        /// The app has none.
        case absent
        /// Something about it has been reported. Keys that depend on it cause no further reports.
        case faulty
        case known(JournalModel)

        /// The journal; nil without one, and after a report.
        var model: JournalModel? { if case .known(let model) = self { model } else { nil } }
    }

    /// Decodes `app.journal`, a file or a table, together with what the command line says of it.
    func decodeJournal(_ app: TableReader?, _ override: JournalOverride) -> Journal {
        let earlier = collector.errorCount
        var model: JournalModel?
        if app?.isRefused("journal") == true { return .faulty }
        if let app, let node = app.value("journal") {
            model =
                node.kind == .table
                ? app.table("journal", .journal).flatMap { journal($0, override) }
                : journalFile(node, override).map {
                    JournalModel(file: $0.file, path: $0.path, durability: override.durability ?? .batched)
                }
        } else if let file = override.file {
            model = journalFile(named: file, from: ".", at: nil).map {
                JournalModel(file: $0.file, path: $0.path, durability: override.durability ?? .batched)
            }
        } else if override.durability != nil {
            collector.error(
                .conflictingKeys, "`--durable` needs a journal", at: nil,
                help: ["name one with `--journal FILE`, or in the manifest: `app.journal = \"run.journal\"`"])
        }
        guard collector.errorCount == earlier else { return .faulty }
        return model.map(Journal.known) ?? .absent
    }

    /// A journal with all defaults.
    private static let standardJournal = JournalModel(file: "", path: "")

    /// The journal that a table describes; nil after a report.
    private func journal(_ table: TableReader, _ override: JournalOverride) -> JournalModel? {
        let earlier = collector.errorCount
        table.missing("file", help: "name it: `file = \"run.journal\"`")
        let file = table.value("file").flatMap { journalFile($0, override) }
        let durability =
            override.durability ?? table.word("durable", as: JournalModel.Durability.self) ?? .batched
        let interval = constantDuration(table, "interval") ?? Self.standardJournal.interval
        if !JournalModel.intervals.contains(interval), let node = table.value("interval") {
            collector.error(
                .outOfRange, "`interval` cannot be \(interval.text)", at: node.span,
                label: "expected 1ms to 10s")
        }
        let size =
            size(table, "snapshot", in: JournalModel.snapshotSizes) ?? Self.standardJournal.snapshotSize
        let keep = retention(table)
        let whenFull = table.word("full", as: JournalModel.WhenFull.self) ?? .stop
        let timers = table.word("timers", as: JournalModel.Timers.self) ?? .wall
        if durability == .everyStep, whenFull == .continue {
            collector.error(
                .conflictingKeys, "`full = \"continue\"` cannot be combined with `every-step`",
                at: table.value("full")?.span, label: "effects wait for a journal that is gone",
                related: table.value("durable").map { [Diagnostic.Label($0.span)] } ?? [],
                help: ["write `full = \"stop\"`, or another value of `durable`"])
        }
        guard collector.errorCount == earlier, let file else { return nil }
        return JournalModel(
            file: file.file, path: file.path, durability: durability, interval: interval, snapshotSize: size,
            keep: keep, whenFull: whenFull, timers: timers)
    }

    /// The file that the command line names, or else the value of a key; nil after a report.
    private func journalFile(_ node: TOMLNode, _ override: JournalOverride) -> (file: String, path: String)? {
        if let file = override.file { return journalFile(named: file, from: ".", at: nil) }
        return node.string.flatMap { journalFile(named: $0, from: folder, at: node.span) }
    }

    private func journalFile(
        named file: String, from folder: String, at span: SourceSpan?
    ) -> (file: String, path: String)? {
        let name = file.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) } ?? ""
        guard !file.hasSuffix("/"), !["", ".", ".."].contains(name),
            // With a slash, no folder is searched for it.
            let location = try? LibraryLocation.resolve(
                library: file.hasPrefix("/") ? file : "./\(file)", manifestFolder: folder, pluginPath: []),
            case .file(let path) = location
        else {
            collector.error(
                .invalidName, "`\(file)` cannot be the file of a journal", at: span,
                help: ["name a file, such as `run.journal`"])
            return nil
        }
        return (file, path)
    }

    /// `keep`; everything without the key, and after a report.
    private func retention(_ table: TableReader) -> JournalModel.Retention {
        guard let node = table.value("keep") else { return .all }
        let text: String
        switch node.content {
        case .integer(let number): text = "\(number)"
        case .string(let word): text = word
        default: return .all
        }
        if let keep = JournalModel.Retention(text) { return keep }
        collector.error(
            .doesNotConvert, "`keep` cannot be `\(text)`", at: node.span,
            help: ["write `all`, a time such as `7d`, a size such as `2GiB`, or a number of steps"])
        return .all
    }
}

extension Duration {
    /// As the manifest writes it.
    fileprivate var text: String {
        let (seconds, attoseconds) = components
        return TimeText.duration(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
