/// Makes side effects, which are functions of an input, of functions that have dependencies too.
///
/// The input comes last: a state of one type, `any State`, or a flow of either. Each form equals a closure:
/// `SideEffect.make(load, arg: service)` is `{ try load(service, $0) }`.
public enum SideEffect {
    /// Gives `sideEffect` its one dependency.
    public static func make<Arg: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg, Input) -> Output,
        arg: Arg
    ) -> @Sendable (Input) -> Output {
        { sideEffect(arg, $0) }
    }

    /// Gives `sideEffect` its one dependency, labelled like the first of several.
    public static func make<Arg1: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg1, Input) -> Output,
        arg1: Arg1
    ) -> @Sendable (Input) -> Output {
        make(sideEffect, arg: arg1)
    }

    /// Gives `sideEffect` its two dependencies.
    public static func make<Arg1: Sendable, Arg2: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg1, Arg2, Input) -> Output,
        arg1: Arg1, arg2: Arg2
    ) -> @Sendable (Input) -> Output {
        { sideEffect(arg1, arg2, $0) }
    }

    /// Gives `sideEffect` its three dependencies.
    public static func make<Arg1: Sendable, Arg2: Sendable, Arg3: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg1, Arg2, Arg3, Input) -> Output,
        arg1: Arg1, arg2: Arg2, arg3: Arg3
    ) -> @Sendable (Input) -> Output {
        { sideEffect(arg1, arg2, arg3, $0) }
    }

    /// Gives `sideEffect` its four dependencies.
    public static func make<Arg1: Sendable, Arg2: Sendable, Arg3: Sendable, Arg4: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg1, Arg2, Arg3, Arg4, Input) -> Output,
        arg1: Arg1, arg2: Arg2, arg3: Arg3, arg4: Arg4
    ) -> @Sendable (Input) -> Output {
        { sideEffect(arg1, arg2, arg3, arg4, $0) }
    }

    /// Gives `sideEffect` its five dependencies.
    public static func make<
        Arg1: Sendable, Arg2: Sendable, Arg3: Sendable, Arg4: Sendable, Arg5: Sendable, Input, Output
    >(
        _ sideEffect: @escaping @Sendable (Arg1, Arg2, Arg3, Arg4, Arg5, Input) -> Output,
        arg1: Arg1, arg2: Arg2, arg3: Arg3, arg4: Arg4, arg5: Arg5
    ) -> @Sendable (Input) -> Output {
        { sideEffect(arg1, arg2, arg3, arg4, arg5, $0) }
    }
}

// A generic `throws(Failure)` would need one form each; Swift 6.3.1 crashes where such a closure becomes one
// that throws.
extension SideEffect {
    /// Gives `sideEffect` its one dependency, where it may throw.
    public static func make<Arg: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg, Input) throws -> Output,
        arg: Arg
    ) -> @Sendable (Input) throws -> Output {
        { try sideEffect(arg, $0) }
    }

    /// Gives `sideEffect` its one dependency, labelled like the first of several, where it may throw.
    public static func make<Arg1: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg1, Input) throws -> Output,
        arg1: Arg1
    ) -> @Sendable (Input) throws -> Output {
        make(sideEffect, arg: arg1)
    }

    /// Gives `sideEffect` its two dependencies, where it may throw.
    public static func make<Arg1: Sendable, Arg2: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg1, Arg2, Input) throws -> Output,
        arg1: Arg1, arg2: Arg2
    ) -> @Sendable (Input) throws -> Output {
        { try sideEffect(arg1, arg2, $0) }
    }

    /// Gives `sideEffect` its three dependencies, where it may throw.
    public static func make<Arg1: Sendable, Arg2: Sendable, Arg3: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg1, Arg2, Arg3, Input) throws -> Output,
        arg1: Arg1, arg2: Arg2, arg3: Arg3
    ) -> @Sendable (Input) throws -> Output {
        { try sideEffect(arg1, arg2, arg3, $0) }
    }

    /// Gives `sideEffect` its four dependencies, where it may throw.
    public static func make<Arg1: Sendable, Arg2: Sendable, Arg3: Sendable, Arg4: Sendable, Input, Output>(
        _ sideEffect: @escaping @Sendable (Arg1, Arg2, Arg3, Arg4, Input) throws -> Output,
        arg1: Arg1, arg2: Arg2, arg3: Arg3, arg4: Arg4
    ) -> @Sendable (Input) throws -> Output {
        { try sideEffect(arg1, arg2, arg3, arg4, $0) }
    }

    /// Gives `sideEffect` its five dependencies, where it may throw.
    public static func make<
        Arg1: Sendable, Arg2: Sendable, Arg3: Sendable, Arg4: Sendable, Arg5: Sendable, Input, Output
    >(
        _ sideEffect: @escaping @Sendable (Arg1, Arg2, Arg3, Arg4, Arg5, Input) throws -> Output,
        arg1: Arg1, arg2: Arg2, arg3: Arg3, arg4: Arg4, arg5: Arg5
    ) -> @Sendable (Input) throws -> Output {
        { try sideEffect(arg1, arg2, arg3, arg4, arg5, $0) }
    }
}
