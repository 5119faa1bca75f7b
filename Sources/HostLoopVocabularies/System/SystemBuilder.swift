/// Makes a system of its three parts: `InitialState`, `Feedbacks` and `Transitions`, each once and in this
/// order.
@resultBuilder
public enum SystemBuilder {
    /// The three parts.
    public static func buildBlock(
        _ initialState: InitialState, _ feedbacks: Feedbacks, _ transitions: Transitions
    ) -> System {
        System(initialState: initialState, feedbacks: feedbacks, transitions: transitions)
    }

    /// An existing system.
    public static func buildBlock(_ system: System) -> System { system }

    /// Parts without an initial state.
    @available(*, unavailable, message: "a system begins with its state: write `InitialState { … }` first")
    public static func buildBlock(_ feedbacks: Feedbacks, _ transitions: Transitions) -> System {
        fatalError("unavailable")
    }

    /// Parts without feedbacks.
    @available(
        *, unavailable,
        message:
            "a system needs `Feedbacks { … }`, which may be empty, between its initial state and its transitions"
    )
    public static func buildBlock(_ initialState: InitialState, _ transitions: Transitions) -> System {
        fatalError("unavailable")
    }

    /// Parts without transitions.
    @available(
        *, unavailable, message: "a system ends with `Transitions { … }`: without them no event does anything"
    )
    public static func buildBlock(_ initialState: InitialState, _ feedbacks: Feedbacks) -> System {
        fatalError("unavailable")
    }

    /// Any other parts.
    @available(
        *, unavailable,
        message:
            "a system is `InitialState { … }`, `Feedbacks { … }` and `Transitions { … }`, each once and in this order"
    )
    public static func buildBlock<each Part>(_ parts: repeat each Part) -> System {
        fatalError("unavailable")
    }
}
