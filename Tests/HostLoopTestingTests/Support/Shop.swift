import HostLoop

/// A list of goods that is loaded page by page.
enum Shop {
    struct State: Sendable, Equatable {
        var page = 0
        var isLoading = false
        var items: [Int] = []
        var note: String?
    }

    enum Event: Sendable, Equatable {
        case load
        case loaded([Int])
        case rate(Int)
        case rated(Int)
        case ignored
        case broken
    }

    struct Failure: Error, Equatable {
        var code = 7
    }

    static let reducer = Reducer<State, Event> { (state: inout State, event: Event) throws -> Bool in
        switch event {
        case .load:
            state.page += 1
            state.isLoading = true
        case .loaded(let items):
            state.isLoading = false
            state.items += items
        case .rate(let stars): state.note = "rating \(stars)"
        case .rated(let stars): state.note = "rated \(stars)"
        case .ignored: return false
        case .broken: throw Failure()
        }
        return true
    }

    static func spin(_ feedbacks: Feedback<State, Event>...) -> Spin<State, Event> {
        Spin(initialState: State(), reducer: reducer, feedbacks: feedbacks)
    }

    /// Answers at once.
    static let loads = Feedback<State, Event>.onEvent(
        "load", where: { _, event in event == .load }, effect: { state, _ in .loaded([state.page * 10]) })

    /// One rating after another; none ends by itself.
    static let rates = Feedback<State, Event>.onEvent(
        "rate",
        where: { _, event in
            guard case .rate = event else { return false }
            return true
        }, run: { _, _, _ in .pending })

    /// Loads after a second of the loop's clock.
    static let loadsLater = Feedback<State, Event>.onEvent(
        "load", where: { _, event in event == .load },
        run: { state, _, run in
            run.resume(after: .seconds(1)) { run in
                run.emit(.loaded([state.page * 10]))
                return .finished
            }
            return .pending
        })

    /// Loads in a task, once `gate` lets it.
    static func loadsElsewhere(_ body: @escaping @Sendable () async -> Void) -> Feedback<State, Event> {
        .onEvent(
            "load", where: { _, event in event == .load },
            run: { state, _, run in
                Task {
                    await body()
                    run.emit(.loaded([state.page * 10]))
                    run.finish()
                }
                return .pending
            })
    }
}
