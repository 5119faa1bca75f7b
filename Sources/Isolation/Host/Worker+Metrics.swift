import HostLoop
import PluginHost
import Records

// The metrics that a worker's plugins have registered.
extension Worker {
    /// How long a snapshot waits for a worker. One that is late gives the numbers that it gave last.
    private static let patience = Duration.milliseconds(200)

    /// Adds the worker's metrics to those of the host.
    func addMetrics() { services.metrics.add(self) { [weak self] in self?.metrics() ?? [] } }

    private func metrics() -> [PluginMetric] {
        guard let process = state.withLock({ $0.phase.process }), let request = metricsRequest(process) else {
            return lastMetrics.withLock { $0 }
        }
        let answer = request.answer(within: Self.patience)
        if request.isAnswered { openMetrics.exchange(nil) }
        guard let answer else { return lastMetrics.withLock { $0 } }
        do throws(DamagedBytes) {
            let read = try read(answer)
            lastMetrics.exchange(read)
            return read
        } catch {
            process.kill("it sent what it must not send: \(error)")
            return []
        }
    }

    /// The question that a process has not answered yet, or another one.
    private func metricsRequest(_ process: WorkerProcess) -> WorkerRequest? {
        if let open = openMetrics.withLock({ $0 }), open.process === process { return open.request }
        let request = request(.metrics, in: process)
        openMetrics.exchange(request.map { (process, $0) })
        return request
    }

    private func read(_ answer: [UInt8]) throws(DamagedBytes) -> [PluginMetric] {
        try ByteReader.read(answer) { reader throws(DamagedBytes) in
            var all: [PluginMetric] = []
            for _ in 0..<(try reader.count()) {
                let number = try reader.number()
                let plugin = state.withLock { $0.plugins[number] }?.identity?.id
                let metrics = try MetricsMessage.read(&reader, plugin: plugin ?? "")
                // A version that nothing refers to any more has none.
                if plugin != nil { all += metrics }
            }
            return all
        }
    }
}
