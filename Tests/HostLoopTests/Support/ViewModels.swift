import HostLoop
import HostLoopFlow
import HostLoopVocabularies

/// The list of the view model's README.
enum Results {
    enum State: ViewState {
        case loading([Int]?)
        case loaded([Int])
        case failed(String, [Int]?)

        var isLoading: Bool {
            if case .loading = self { true } else { false }
        }

        var results: [Int]? {
            switch self {
            case .loading(let results), .failed(_, let results): results
            case .loaded(let results): results
            }
        }

        var failure: String? {
            if case .failed(let failure, _) = self { failure } else { nil }
        }
    }

    // Safe because it adds nothing.
    final class Model: ViewModel<State>, @unchecked Sendable {
        init() { super.init(initialState: .loading(nil)) }

        func startLoading() {
            write {
                switch state {
                case .loading: return
                case .loaded(let results): state = .loading(results)
                case .failed: state = .loading(nil)
                }
            }
        }

        func didLoad(_ results: [Int]) {
            write { state = .loaded(results) }
        }

        func didFail(_ failure: String) {
            update { .failed(failure, state.results) }
        }
    }
}

/// A view that writes down what it is rendered with.
final class RenderedView<State: ViewState>: StatefulView {
    private let states = Box<[State]>([])
    let policy = Box(RenderPolicy.possible)
    private let hook: @MainActor (State) -> Void

    init(hook: @escaping @MainActor (State) -> Void = { _ in }) {
        self.hook = hook
    }

    var rendered: [State] { states.value }
    var renderPolicy: RenderPolicy { policy.value }

    func render(state: State) {
        states.change { $0.append(state) }
        hook(state)
    }
}

/// A view model with one number.
struct CountState: ViewState {
    var value = 0
}

// Safe because it adds nothing.
final class CountModel: ViewModel<CountState>, @unchecked Sendable {
    init(_ value: Int = 0) { super.init(initialState: CountState(value: value)) }

    func add(_ summand: Int) {
        write { state.value += summand }
    }
}
