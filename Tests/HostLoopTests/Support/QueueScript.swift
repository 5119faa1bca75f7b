import TestSupport
import HostLoop

/// The actions of random feedbacks, as pure functions of a seed: the loop and the model follow the same
/// script.
struct QueueScript: Sendable {
    struct State: Sendable, Equatable, CustomStringConvertible {
        /// 0 in the initial state, for which no feedback acts.
        var hash: UInt64
        var step = 0
        var description: String { String(hash, radix: 36) }
    }

    enum Kind: Sendable {
        case state(Strategy)
        case event(Strategy)
        case change
        case always
    }

    enum Action: Sendable {
        /// The run emits.
        case emit(UInt64)
        /// Code outside the loop emits meanwhile.
        case outside(UInt64)
        /// A pending run, chosen by number, emits an entry meanwhile.
        case other(UInt64, [UInt64])
        /// A pending run, chosen by number, finishes meanwhile.
        case finish(UInt64)
    }

    let seed: UInt64
    let kinds: [Kind]
    static let steps = 200

    init(seed: UInt64) {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        let all: [Kind] =
            Strategy.allCases.map { .state($0) } + Strategy.allCases.map { .event($0) } + [
                .change, .always,
            ]
        kinds = (0..<Int.random(in: 1...5, using: &random)).compactMap { _ in
            all.randomElement(using: &random)
        }
    }

    private func random(_ numbers: UInt64...) -> SeededGenerator {
        SeededGenerator(seed: numbers.reduce(seed) { ($0 ^ $1) &* 0x0100_0000_01b3 &+ 11 })
    }

    /// The new state; nil: not handled.
    func reduce(_ state: State, _ event: UInt64) throws -> State? {
        var random = random(1, state.hash, event)
        switch random.next() % 12 {
        case 0: return nil
        case 1: throw Counting.Failure()
        default: return State(hash: 1 + random.next() % 1_000_000, step: state.step + 1)
        }
    }

    func passes(_ feedback: Int, _ state: State, _ event: UInt64?) -> Bool {
        var random = random(2, UInt64(feedback), state.hash, event ?? 0)
        return random.next() % 3 != 0
    }

    func request(_ feedback: Int, _ state: State) -> UInt64? {
        var random = random(3, UInt64(feedback), state.hash)
        let request = random.next() % 5
        return request == 0 ? nil : request / 2
    }

    /// The actions of a call of the effect, in order, and whether its run continues.
    func actions(_ feedback: Int, _ state: State, call: Int) -> (actions: [Action], isPending: Bool) {
        guard state.step > 0 else { return ([], false) }
        var random = random(4, UInt64(feedback), state.hash, UInt64(call))
        var actions: [Action] = []
        for _ in 0..<[0, 1, 1, 2, 3][Int(random.next() % 5)] {
            let value = random.next() % 100_000
            switch random.next() % 10 {
            case 0, 1: actions.append(.outside(value))
            case 2: actions.append(.other(random.next(), [value]))
            case 3: actions.append(.other(random.next(), [value, value + 1, value + 2]))
            case 4: actions.append(.finish(random.next()))
            default: actions.append(.emit(value))
            }
        }
        return (actions, random.next() % 4 == 0)
    }

    /// Events from outside; between them the loop becomes idle.
    var driving: [UInt64] {
        var random = random(5)
        return (0..<30).map { _ in random.next() % 100_000 }
    }
}
