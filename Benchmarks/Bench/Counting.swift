import Dispatch

/// The reducer and effect of rows L1 to L4 and of their references: the same closures on both sides.
struct Counting: Sendable {
    struct State: Sendable {
        var count = 0
    }

    enum Event: Sendable {
        case up(Int)
        case down(Int)
    }

    typealias Reduce = @Sendable (inout State, Event) -> Bool
    typealias Effect = @Sendable (State) -> Event?

    let reduce: Reduce
    let effect: Effect

    /// Counts to `limit` by itself: the effect answers each state except the last with the event for the next
    /// one. It signals `done` at the last.
    init(to limit: Int, done: DispatchSemaphore) {
        reduce = Self.add
        effect = { state in
            if state.count < limit { return .up(1) }
            done.signal()
            return nil
        }
    }

    init(reduce: @escaping Reduce, effect: @escaping Effect) {
        self.reduce = reduce
        self.effect = effect
    }

    @Sendable
    static func add(_ state: inout State, _ event: Event) -> Bool {
        switch event {
        case .up(let amount): state.count += amount
        case .down(let amount): state.count -= amount
        }
        return true
    }
}
