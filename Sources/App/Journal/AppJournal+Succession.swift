import Glibc
import HostLoop
import Interfaces
import Journal
import Manifest
import PluginHost
import Records

// How the journal of a running app continues when its manifest changes.
extension AppJournal {
    /// Begins the epoch of a changed manifest. No loop of the app before is in a step, and no loop of this app has
    /// begun.
    ///
    /// - Parameters:
    ///   - before: the assemblies of the app before; `resting` has the indices of those whose loops have not stopped.
    ///   - own: the assemblies of this app.
    ///   - places: the loops before, by the index of the loop that continues.
    ///   - message: a message of the app before in this one.
    func succeed(
        _ before: [LoopAssembly], resting: Set<Int>, _ own: [LoopAssembly], _ places: [Int: LoopPredecessor],
        with plugins: [Epoch.Plugin], message: @escaping @Sendable (AppMessage) -> AppMessage?
    ) {
        for assembly in before where resting.contains(assembly.index) { assembly.journal?.rest() }
        let last = committed()
        let epoch = Epoch(
            time: WallClock.coarse, host: host.version, process: getpid(), manifest: host.manifest,
            plugins: plugins, secrets: secrets, schema: schema)
        let entries = ByteWriter()
        entries.put(epoch)
        var count = 1
        let next = last?.continued(by: epoch)
        for (index, place) in places.sorted(by: { $0.key < $1.key }) {
            guard let journal = own[index].journal, place.assembly.journal != nil, let last, let next,
                next.loops[index].hasBegun
            else { continue }
            journal.succeed(
                next.loops[index], messages: messages(of: place.assembly.index, in: last, index),
                in: place.state, step: own[index].steps.current, own[index].continued, time: epoch.time,
                into: entries)
            count += 1
        }
        let append = order.hold {
            for assembly in before {
                let follower = places.first { $0.value.assembly === assembly }.map { own[$0.key] }
                assembly.journal?.handOver(to: follower, message: message)
            }
            return writer.append(entries, count: count).append
        }
        // The keys of runs that begin now name the epoch, so the next process must know it.
        _ = writer.wait(until: append)
    }

    /// What the journal says once all is committed; nil if that cannot be known, and then the journal has failed.
    private func committed() -> JournalState? {
        guard writer.flush() else { return nil }
        do throws(JournalError) {
            let point = try JournalReader(reading()).end()
            if let damage = point.damage { throw damage }
            return point.state
        } catch {
            writer.perform { _ throws(JournalError) in throw error }
            return nil
        }
    }

    /// The messages whose events wait in a loop, by their positions, with the receiver and the number of events.
    private func messages(
        of before: Int, in last: JournalState, _ own: Int
    ) -> [(receiver: Int, position: UInt64, events: Int)] {
        guard let old = last.epoch?.schema.loops[before] else { return [] }
        return zip(old.feedbacks, last.loops[before].feedbacks).flatMap { feedback, past in
            schema.loops[own].feedbacks.firstIndex(of: feedback).map { receiver in
                past.messages.map { (receiver, $0.position, $0.events) }
            } ?? []
        }
    }
}

extension App {
    /// The plugins that are loaded, as an epoch names them.
    var journaledPlugins: [Epoch.Plugin] {
        manifest.plugins.enumerated().compactMap { index, plugin in
            plugins.plugin(.plugin(index)).map { Epoch.Plugin(plugin.name, $0.image) }
        }
    }
}

extension Epoch.Plugin {
    /// The version of a plugin that is loaded.
    init(_ name: String, _ image: PluginImage) {
        self.init(name: name, version: image.description?.version ?? "", hash: image.hash ?? "")
    }
}

/// Lets one thread at a time append entries that are not of the thread that drains their loop, or begin an epoch.
///
/// So each entry has the schema of its epoch.
final class EntryOrder: Sendable {
    private let lock = Lock(())

    func hold<Result: Sendable>(_ body: () -> Result) -> Result { lock.withLock { _ in body() } }
}
