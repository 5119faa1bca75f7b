import Control
import Records

/// What is known of the past of a running app.
protocol RunPast {
    /// A state of a loop.
    typealias State = (loop: String, step: UInt64, state: Record)

    /// Steps in order; at most as many as asked for.
    func steps(_ query: ControlQuery.Steps, _ filter: StepFilter?) throws -> [PastStep]

    /// The steps of a loop with these numbers, in order; fewer if some are not known.
    func steps(_ numbers: ClosedRange<UInt64>, of loop: String) throws -> [PastStep]

    /// The states of all loops that had begun at a place, and its position.
    func states(at place: ControlQuery.Place) throws -> (position: UInt64, states: [State])
}

extension ControlQuery.Place {
    /// The place in words.
    var text: String {
        switch self {
        case .position(let position): "position \(position)"
        case .step(let step, let loop): "step \(step) of loop `\(loop)`"
        }
    }
}
