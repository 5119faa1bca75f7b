public import HostLoopFlow

/// The mutations of an action: synchronous and asynchronous ones.
///
/// An array literal makes synchronous ones: `[.setText(text)]` equals `Mutations(sync: .setText(text))`.
public struct Mutations<Mutation: Sendable>: Sendable {
    /// Mutations that are applied in order, with no other between them, before `action(_:)` returns.
    public var sync: [Mutation]
    /// Mutations that are applied as they come, while the reactor exists. The subscription begins when the
    /// synchronous ones are applied.
    public var async: Flow<Mutation>

    /// Makes no mutations.
    public init() {
        self.init(sync: [])
    }

    /// Makes synchronous and asynchronous mutations.
    public init(sync: [Mutation], async: Flow<Mutation> = .none) {
        self.sync = sync
        self.async = async
    }

    /// Makes asynchronous mutations.
    public init(async: Flow<Mutation>) {
        self.init(sync: [], async: async)
    }

    /// Makes one synchronous mutation, and asynchronous ones.
    public init(sync mutation: Mutation, async: Flow<Mutation> = .none) {
        self.init(sync: [mutation], async: async)
    }

    /// No mutation.
    public static var none: Mutations { Mutations() }
}

extension Mutations: ExpressibleByArrayLiteral {
    /// Makes synchronous mutations.
    public init(arrayLiteral mutations: Mutation...) {
        self.init(sync: mutations)
    }
}
