import App
import ArgumentParser
import Diagnostics
import Glibc
import Journal
import Manifest

/// The value of `--skip`.
enum JournalSkip: Hashable {
    /// Nothing is skipped, and crashes are not counted.
    case none
    /// The effects of an entry are not begun again.
    case position(UInt64)

    /// `none`, `4711` or `@4711`.
    init(_ text: String) throws {
        let number = text.hasPrefix("@") ? text.dropFirst() : text[...]
        if text == "none" {
            self = .none
        } else if let position = UInt64(number), position > 0 {
            self = .position(position)
        } else {
            throw ValidationError("`\(text)` is no position: write `--skip 4711`, or `--skip none`")
        }
    }
}

// A journal that is damaged, and an app that crashes again and again.
extension RunJournal {
    /// Replaces a damaged journal by what lies before its damage. Does nothing if it is not damaged.
    ///
    /// - Returns: how many epochs may have been lost.
    func leaveDamage(of manifest: Manifest) throws(JournalError) -> UInt32 {
        // Safe because the path is borrowed for the call.
        guard unsafe access(path, F_OK) == 0 else { return 0 }
        let store = try SQLiteStore(path: path, .write(create: nil, durability: .full))
        defer { store.close() }
        try JournalFault.refuse(store, of: path, ofOtherAppThan: manifest)
        let point = try JournalReader(store).end()
        guard let damage = point.damage, case .damaged(let position) = damage.kind else { return 0 }
        guard let last = point.last else { throw damage }
        // Each process begins with a chunk of its own, so it has no more epochs than chunks.
        let newest = (try? store.last())??.number ?? last.number
        let kept = KeptFile.name(for: KeptFile.isLink(path) ? store.realPath : path, "damaged")
        try store.leave(after: last.number, keepingAs: kept)
        ErrorOutput.line(
            "`\(path)` is damaged at @\(position): the app continues after @\(last.next - 1), and the old file is now `\(kept)`"
        )
        return UInt32(clamping: max(1, newest.subtractingReportingOverflow(last.number).partialValue))
    }

    /// The state whose effects are not begun again, as `--skip` names it by the position of its entry.
    func skipped(in store: SQLiteStore) throws -> AppJournal.Step? {
        guard case .position(let position)? = options.skip else { return nil }
        var found: (step: AppJournal.Step, text: String)?
        _ = try JournalReader(store).point(upTo: position, from: position) { placed, state in
            if placed.position == position { found = placed.entry.made(state) }
        }
        guard let found else {
            ErrorOutput.line("error: `\(path)` has no step at @\(position)")
            throw ExitStatus.usage
        }
        ErrorOutput.line("skipped: the effects of @\(position) (\(found.text)) are not begun again")
        return found.step
    }

    /// A state that does not fit the manifest, with what can be done.
    func advised(_ diagnostic: Diagnostic) -> Diagnostic {
        guard diagnostic.code == .notCarried else { return diagnostic }
        return diagnostic.replacingHelp(
            diagnostic.help.map {
                $0.replacing("start the app again", with: "begin a new journal with `--restart`")
            } + [
                "`spinhost journal migrate \(path) --set 'state.FIELD = EXPRESSION'` converts the state"
            ])
    }

    /// A warning of secrets that have other values than in the last process; nil without any.
    func secretWarning(_ names: [String]) -> Diagnostic? {
        guard !names.isEmpty else { return nil }
        let list = names.map { "`config.\($0)`" }.joined(separator: ", ")
        return Diagnostic(
            .warning, .secretChanged,
            "\(list) \(names.count == 1 ? "has another value" : "have other values") than in the last process that wrote `\(path)`",
            notes: ["states in the journal may still have the old text"])
    }

    /// How many recoveries without a step are too many, within which time.
    private static let mostCrashes = (count: JournalState.mostAttempts, time: Int64(60_000_000_000))

    /// Why the app is not recovered once more; nil when it may be.
    func crashes(_ recovery: AppJournal.Recovery, in store: SQLiteStore) -> Diagnostic? {
        let limit = Self.mostCrashes
        guard recovery.attempts.count >= limit.count, let first = recovery.attempts.first,
            (0...limit.time).contains(JournalTime.now - first)
        else { return nil }
        let begun = Set(recovery.begun)
        var places: [AppJournal.Step: (position: UInt64, text: String)] = [:]
        // Without the positions, the message has less to say.
        _ = try? JournalReader(store).entries { placed, state in
            guard let made = placed.entry.made(state), begun.contains(made.step) else { return true }
            // A later process begins with the same state.
            if places[made.step] == nil { places[made.step] = (placed.position, made.text) }
            return places.count < begun.count
        }
        let newest = places.values.sorted { $0.position > $1.position }.prefix(3)
        return Diagnostic(
            .error, .recoversAgain,
            "`\(path)` was recovered \(limit.count) times within a minute, and no process made a step",
            notes: newest.map { "begun again each time: the effects of @\($0.position) (\($0.text))" },
            help: newest.map { "`--skip \($0.position)` continues without the effects of @\($0.position)" }
                + [
                    "if they can succeed now, `--skip none` continues with all effects"
                ])
    }
}

extension Entry {
    /// The state that the entry has made or that a loop begins in, and how messages call it; nil for another entry.
    ///
    /// - Parameter state: what the journal says after the entry.
    fileprivate func made(_ state: JournalState) -> (step: AppJournal.Step, text: String)? {
        guard let schema = state.epoch?.schema else { return nil }
        switch self {
        case .started(let loop, let number):
            let name = schema.loops[loop].name
            return (AppJournal.Step(loop: name, number: number), "`\(name)` #\(number)")
        case .step(let step):
            let loop = schema.loops[step.loop]
            return (
                AppJournal.Step(loop: loop.name, number: step.step),
                "`\(loop.name)` #\(step.step), `\(loop.events[step.event].name)`"
            )
        default: return nil
        }
    }
}
