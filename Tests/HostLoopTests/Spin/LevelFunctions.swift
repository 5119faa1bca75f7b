import HostLoop
import HostLoopFlow
import HostLoopVocabularies

/// The functions of the original's README, and what they make.
extension Levels {
    @Sendable static func leftEffect(levels: State) -> Flow<Event> {
        levels.left == levels.right
            ? .none : .just(.left(levels.left < levels.right ? levels.left + 1 : levels.left - 1))
    }

    @Sendable static func rightEffect(levels: State) -> Flow<Event> {
        levels.left == levels.right
            ? .none : .just(.right(levels.right < levels.left ? levels.right + 1 : levels.right - 1))
    }

    @Sendable static func reduced(levels: State, event: Event) -> State {
        switch event {
        case .left(let level): State(left: level, right: levels.right)
        case .right(let level): State(left: levels.left, right: level)
        }
    }

    /// The README's spin, step by step.
    static func built(executeOn executor: LoopExecutor = .caller) -> Spin<State, Event> {
        Spinner
            .initialState(State(left: 10, right: 20), executeOn: executor, until: { $0.left == $0.right })
            .feedback(Feedback(effect: leftEffect))
            .feedback(Feedback(effect: rightEffect))
            .reducer(Reducer(reduced))
    }

    /// The README's spin, declared.
    static func declared(executeOn executor: LoopExecutor = .caller) -> Spin<State, Event> {
        Spin(
            initialState: State(left: 10, right: 20), executeOn: executor, until: { $0.left == $0.right }
        ) {
            Feedback(effect: leftEffect)
            Feedback(effect: rightEffect)
            Reducer(reduced)
        }
    }
}
