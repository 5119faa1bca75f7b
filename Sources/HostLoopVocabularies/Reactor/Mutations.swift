public import HostLoopFlow

/// What an action leads to: mutations at once, and mutations to come.
///
/// An array literal makes synchronous ones: `[.setText(text)]` equals `Mutations(sync: .setText(text))`.
public struct Mutations<Mutation: Sendable>: Sendable {
    /// Applied in order, with nothing between them, before `action(_:)` returns.
    public var sync: [Mutation]
    /// Subscribed to once the synchronous ones are applied; applied as they come, for as long as the reactor
    /// lives.
    public var async: Flow<Mutation>

    /// Makes no mutations.
    public init() {
        self.init(sync: [])
    }

    /// Makes synchronous mutations, and mutations to come.
    public init(sync: [Mutation], async: Flow<Mutation> = .none) {
        self.sync = sync
        self.async = async
    }

    /// Makes mutations to come.
    public init(async: Flow<Mutation>) {
        self.init(sync: [], async: async)
    }

    /// Makes one synchronous mutation, and mutations to come.
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
