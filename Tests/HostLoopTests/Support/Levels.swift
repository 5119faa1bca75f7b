import HostLoop

/// Two levels that move toward each other: the classic of the field.
enum Levels {
    struct State: Sendable, Equatable, CustomStringConvertible {
        var left: Int
        var right: Int
        var description: String { "\(left)/\(right)" }
    }

    enum Event: Sendable, Equatable {
        case left(Int)
        case right(Int)
    }

    static let reducer = Reducer<State, Event> { (state: inout State, event: Event) -> Bool in
        switch event {
        case .left(let level): state.left = level
        case .right(let level): state.right = level
        }
        return true
    }

    static let left = Feedback<State, Event>.onState("left") { (state: State) -> Event? in
        state.left == state.right ? nil : .left(state.left + (state.left < state.right ? 1 : -1))
    }

    static let right = Feedback<State, Event>.onState("right") { (state: State) -> Event? in
        state.left == state.right ? nil : .right(state.right + (state.right < state.left ? 1 : -1))
    }

    static func spin(executor: LoopExecutor = .caller) -> Spin<State, Event> {
        Spin(
            initialState: State(left: 10, right: 20), reducer: reducer, feedbacks: [left, right],
            executor: executor)
    }

    static let course = [
        "10/20", "11/20", "11/19", "12/19", "12/18", "13/18", "13/17", "14/17", "14/16", "15/16", "15/15",
    ]
}
