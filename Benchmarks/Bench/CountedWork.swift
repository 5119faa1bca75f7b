import App
import HostLoop

/// The work that a row measures, repeated any number of times. `script/counts` subtracts the instructions of
/// a short run from those of a long one.
struct CountedWork {
    let name: String
    /// Does the work this number of times.
    let run: (_ count: Int) async throws -> Void

    /// The hot rows.
    ///
    /// - Parameters:
    ///   - spinhost: the path of the program, which writes the header of M2.
    ///   - plugins: the folder with `step.so`.
    static func rows(spinhost: String, plugins: String) -> [CountedWork] {
        let manifestLoop = { (kind: ManifestLoopRow.Kind) in
            CountedWork(name: kind.rawValue) { count in
                let row = ManifestLoopRow(
                    kind: kind, spinhost: spinhost, plugins: plugins, steps: count, clock: StillClock())
                let app = try row.prepare()
                _ = try await row.ours(app)
                app.close()
            }
        }
        return [
            CountedWork(name: "L1") { _ = await ClosedLoopRow(steps: $0, clock: StillClock()).ours() },
            CountedWork(name: "L3") { try emitToCaller($0) },
            manifestLoop(.declared),
            manifestLoop(.native),
            CountedWork(name: "M3") { count in
                let row = DispatchRow(plugins: plugins, calls: count)
                _ = try row.ours(row.prepare())
            },
            CountedWork(name: "E1") { _ = try ExpressionRow(turns: $0).ours() },
        ]
    }

    /// Row L3 without the waiting: events from outside into an idle loop on `.caller`, which reduces each at
    /// once.
    private static func emitToCaller(_ count: Int) throws {
        let counting = Counting(reduce: Counting.add, effect: { _ in nil })
        let spin = Spin(
            initialState: Counting.State(), reducer: Reducer(counting.reduce),
            feedbacks: [.onState(effect: counting.effect)], executor: .caller)
        let loop = spin.start()
        for _ in 0..<count { loop.emit(.up(1)) }
        guard loop.state.count == count else { throw BenchFault("L3 ended at \(loop.state.count)") }
    }
}
