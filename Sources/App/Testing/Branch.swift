public import Manifest
public import Records

/// What would follow from other events: the states that the declared reducers make. No effect is called.
public struct Branch {
    /// A step of the branch.
    public struct Step: Sendable {
        /// The loop, an index into `Manifest.loops`.
        public let loop: Int
        /// The states before and after; equal if no transition handles the event.
        public let before: Record, after: Record
        /// Why there is no new state; nil if there is one.
        public let problem: String?
    }

    private var loops: [LoopReplay?]
    private var states: [Record]

    /// A branch that begins with these states, one for each loop of the manifest.
    public init(_ manifest: Manifest, from states: [Record]) {
        self.states = states
        loops = manifest.loops.map { model in
            model.reducer == nil ? LoopReplay(model, config: manifest.config, nil) : nil
        }
    }

    /// Whether a loop has declared transitions alone. Another one has the reducer of a plugin, which is not called.
    public func canReduce(loop: Int) -> Bool { loops[loop] != nil }

    /// Reduces an event.
    ///
    /// - Parameters:
    ///   - event: an index into the loop's `events`.
    ///   - time: what `now` is: nanoseconds since 1970-01-01T00:00:00Z.
    /// - Precondition: the loop can be reduced.
    public mutating func take(event: Int, payload: Record, loop: Int, at time: Int64) -> Step {
        guard let replay = loops[loop] else { preconditionFailure("the loop has a declared reducer") }
        let before = states[loop]
        do throws(Replay.Problem) {
            states[loop] = try replay.step(
                AppEvent(index: event, payload: payload), from: before, at: time)
            return Step(loop: loop, before: before, after: states[loop], problem: nil)
        } catch {
            return Step(loop: loop, before: before, after: before, problem: error.message)
        }
    }
}
