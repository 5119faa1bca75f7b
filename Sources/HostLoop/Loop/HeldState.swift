/// The state where its loop keeps it: lent to whoever is given it, as it cannot be copied as a whole.
///
/// A copy of `value` counts references, which costs a step more than most reducers do.
@usableFromInline
struct HeldState<State: Sendable>: ~Copyable, Sendable {
    @usableFromInline var value: State

    @inlinable
    init(_ value: State) {
        self.value = value
    }
}
