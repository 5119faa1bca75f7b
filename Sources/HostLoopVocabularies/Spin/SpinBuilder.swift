public import HostLoop

/// Makes a spin of feedbacks and, last, its one reducer.
///
/// `if`, `switch` and `for` may stand among the feedbacks, and there may be none. The original takes one to
/// five.
@resultBuilder
public enum SpinBuilder<State: Sendable, Event: Sendable>: ListBuilder {
    /// A list of feedbacks.
    public typealias Element = Feedback<State, Event>

    /// Feedbacks, and the reducer after them.
    public struct Parts: Sendable {
        @usableFromInline let feedbacks: [Feedback<State, Event>]
        @usableFromInline let reducer: Reducer<State, Event>

        @inlinable
        init(_ feedbacks: [Feedback<State, Event>], _ reducer: Reducer<State, Event>) {
            self.feedbacks = feedbacks
            self.reducer = reducer
        }
    }

    /// The reducer.
    @inlinable
    public static func buildExpression(_ reducer: Reducer<State, Event>) -> Reducer<State, Event> {
        reducer
    }

    /// The first feedbacks.
    @inlinable
    public static func buildPartialBlock(first feedbacks: [Element]) -> [Element] { feedbacks }

    /// More feedbacks.
    @inlinable
    public static func buildPartialBlock(
        accumulated: [Element], next feedbacks: [Element]
    ) -> [Element] {
        accumulated + feedbacks
    }

    /// The reducer without feedbacks.
    @inlinable
    public static func buildPartialBlock(first reducer: Reducer<State, Event>) -> Parts {
        Parts([], reducer)
    }

    /// The reducer after the feedbacks.
    @inlinable
    public static func buildPartialBlock(
        accumulated: [Element], next reducer: Reducer<State, Event>
    ) -> Parts {
        Parts(accumulated, reducer)
    }

    /// An empty branch.
    @inlinable
    public static func buildBlock() -> [Element] { [] }

    /// The feedbacks and the reducer.
    @inlinable
    public static func buildFinalResult(_ parts: Parts) -> Parts { parts }
}

/// Mistakes, each with a sentence that the compiler prints.
extension SpinBuilder {
    /// Feedbacks without a reducer.
    @available(
        *, unavailable, message: "a spin ends with its reducer: write `Reducer(…)` after the feedbacks"
    )
    public static func buildFinalResult(_ feedbacks: [Feedback<State, Event>]) -> Parts {
        fatalError("unavailable")
    }

    /// A second reducer.
    @available(
        *, unavailable,
        message: "a spin has one reducer: make one of several with `Reducer.combine(…)`"
    )
    public static func buildPartialBlock(accumulated: Parts, next reducer: Reducer<State, Event>) -> Parts {
        fatalError("unavailable")
    }

    /// A feedback after the reducer.
    @available(
        *, unavailable, message: "the reducer of a spin comes last: write the feedbacks before it"
    )
    public static func buildPartialBlock(
        accumulated: Parts, next feedbacks: [Feedback<State, Event>]
    ) -> Parts {
        fatalError("unavailable")
    }

    /// A reducer in an `if`.
    @available(
        *, unavailable,
        message: "the reducer of a spin cannot depend on a condition: write the condition into the reducer"
    )
    public static func buildOptional(_ parts: Parts?) -> Reducer<State, Event> {
        fatalError("unavailable")
    }

    /// A reducer in a branch.
    @available(
        *, unavailable,
        message: "the reducer of a spin cannot depend on a condition: write the condition into the reducer"
    )
    public static func buildEither(first parts: Parts) -> Reducer<State, Event> {
        fatalError("unavailable")
    }

    /// A reducer in another branch.
    @available(
        *, unavailable,
        message: "the reducer of a spin cannot depend on a condition: write the condition into the reducer"
    )
    public static func buildEither(second parts: Parts) -> Reducer<State, Event> {
        fatalError("unavailable")
    }

    /// Reducers in a loop.
    @available(
        *, unavailable,
        message: "a spin has one reducer: make one of several with `Reducer.combine(…)`"
    )
    public static func buildArray(_ parts: [Parts]) -> Reducer<State, Event> {
        fatalError("unavailable")
    }
}
