public import Journal
import PluginHost
import Records

// What is written besides the entries of loops.
extension AppJournal {
    /// Writes the states in the manifest's shape, as an epoch in which nothing runs, and closes the journal.
    ///
    /// - Throws: when it cannot be written.
    public func migrate() throws(JournalError) {
        begin(with: [])
        for (instance, state) in kept { _ = keep(instance, state) }
        close()
        if let failure = status.failure { throw failure }
    }

    /// Notes that calls go to another version of a plugin.
    func swapped(_ report: SwapReport) {
        guard [.swapped, .rolledBack].contains(report.outcome) else { return }
        let isRollBack = report.outcome == .rolledBack
        let (from, to) = isRollBack ? (report.to, report.from) : (report.from, report.to)
        let entry = ByteWriter()
        entry.swapped(
            time: WallClock.coarse, from: from ?? "",
            to: Epoch.Plugin(
                name: report.plugin, version: to ?? "", hash: isRollBack ? "" : report.hash ?? ""),
            isRollBack: isRollBack)
        writer.append(entry, count: 1)
    }

    /// Keeps the state of an instance that has stopped for the next process.
    ///
    /// - Returns: false for a state of more than `mostOfState` bytes, which is not kept.
    func keep(_ instance: String, _ state: SavedState) -> Bool {
        guard state.data.count <= Self.mostOfState else { return false }
        let entry = ByteWriter()
        entry.kept(instance: instance, state: state.framed)
        writer.append(entry, count: 0)
        return true
    }

    /// Bytes of an instance's state that a journal keeps: the store takes a commit of less than 10⁹ bytes.
    static let mostOfState = 256 << 20
}
