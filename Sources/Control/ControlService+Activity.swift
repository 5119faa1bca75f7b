import Records

// What clients of version 2 watch.
extension ControlService {
    /// Changes what a client watches.
    mutating func follow(_ watch: ControlWatch, by id: Int) throws(ControlFault) {
        try target.beginActivity(of: id, watch)
        connections[id]!.client.watchesSwaps = watch.swaps
        connections[id]!.client.activity = watch.isEmpty ? nil : ServedActivity(watch)
        send(Value.record([("ok", .bool(true))]).json, to: id)
    }

    /// Sends the lines that are due.
    mutating func sendActivity() {
        let now = ContinuousClock.now
        var asked: Set<Int> = []
        for id in Array(connections.keys) {
            guard var activity = connections[id]?.client.activity, connections[id]?.client.isBehind == false
            else { continue }
            var lines: [String] = []
            if let room = activity.room(at: now) {
                asked.insert(id)
                let taken = target.takeActivity(of: id, most: room.most, isFresh: room.isFresh)
                if taken.skipped > 0 {
                    lines.append(Value.record([("skipped", .int(Int64(taken.skipped)))]).json)
                }
                lines += taken.lines
                activity.took(taken.lines.count, isMore: taken.isMore, at: now)
            }
            if activity.takesCounters(at: now),
                let counters = try? target.allCounters(loop: activity.watch.loop)
            {
                lines.append(Value.record([("counters", .list(counters))]).json)
            }
            connections[id]?.client.activity = activity
            for line in lines.map(write) { connections[id]?.client.push(line) }
            if !lines.isEmpty { flush(id) }
        }
        guard !asked.isEmpty else { return }
        for id in Array(connections.keys) where !asked.contains(id) {
            connections[id]?.client.activity?.missed()
        }
    }

    /// When a line is due that waits for a time; nil if none does.
    var nextActivity: ContinuousClock.Instant? {
        let isReported = target.hasActivity
        return connections.values.compactMap { connection in
            connection.client.isBehind ? nil : connection.client.activity?.due(isReported: isReported)
        }.min()
    }

    /// A client that watched the former target watches the next one.
    mutating func moveActivity(
        of id: Int, from former: any ControlTarget, to next: any ControlTarget
    ) {
        guard let watch = connections[id]?.client.activity?.watch else { return }
        former.endActivity(of: id)
        do throws(ControlFault) { try next.beginActivity(of: id, watch) } catch {
            connections[id]?.client.activity = nil
            let loop = watch.loop.map { [("loop", Value.string($0))] } ?? []
            let line = write(Value.record(loop + [("error", error.error)]).json)
            connections[id]?.client.push(line)
        }
    }
}
