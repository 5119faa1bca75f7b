/// How long a state has to last, and for what, until a delayed transition is taken.
struct Delay: Sendable, Hashable {
    let duration: Duration
    let id: DelayID?
}

/// A value whose change starts a delay anew.
// Safe because it is only made of a value that is Sendable.
struct DelayID: @unchecked Sendable, Hashable {
    private let value: AnyHashable

    init(_ value: some Hashable & Sendable) {
        self.value = AnyHashable(value)
    }
}
