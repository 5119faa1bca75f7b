import App
import Control
import HostLoop
import Manifest
import Records

// What clients of version 2 watch.
extension ControlledApp {
    func beginActivity(of client: Int, _ watch: ControlWatch) throws(ControlFault) {
        let isEmpty = watch.kinds.isEmpty && watch.counters == nil
        let loops = Set(try self.loops(named: watch.loop))
        let filter = try StepFilter(watch.filter, of: loops.sorted().map { manifest.loops[$0] })
        guard !isEmpty else { return endActivity(of: client) }
        // Begun before the earlier watch ends, so that what is kept stays.
        for loop in loops { port.watch(loop: loop) }
        if watch.kinds.contains(.gears) { port.watchMessages() }
        let reader = ActivityReader(watch, loops, of: manifest.loops.map(\.name), port, log, filter)
        let before = watchers.withLock { $0.updateValue(reader, forKey: client) }
        end(before)
    }

    func endActivity(of client: Int) { end(watchers.withLock { $0.removeValue(forKey: client) }) }

    private func end(_ reader: ActivityReader?) {
        guard let reader else { return }
        for loop in reader.loops { port.unwatch(loop: loop) }
        if reader.seesMessages { port.unwatchMessages() }
        if reader.seesLog { log.close() }
    }

    var hasActivity: Bool { port.hasActivity || log.hasLines }

    func takeActivity(
        of client: Int, most: Int, isFresh: Bool
    ) -> (lines: [String], skipped: Int, isMore: Bool) {
        // The server's thread alone takes lines, and serialises them without the lock.
        guard var reader = watchers.withLock({ $0[client] }) else { return ([], 0, false) }
        let taken = reader.take(from: port, log, most: most, isFresh: isFresh)
        watchers.withLock { [reader] in $0[client] = reader }
        return taken
    }
}
