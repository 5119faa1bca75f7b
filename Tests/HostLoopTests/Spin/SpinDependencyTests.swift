import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

private enum Page: Sendable, Equatable {
    case idle
    case loading
    case loaded(String)
}

private enum PageEvent: Sendable, Equatable {
    case load
    case didLoad(String)
}

private struct NetworkService: Sendable {
    func fetch() -> Flow<String> { .just("terces") }
}

private struct CryptographicTool: Sendable {
    func decrypt(_ text: String) -> String { String(text.reversed()) }
}

@Sendable private func loadEffect(
    networkService: NetworkService, cryptographicTool: CryptographicTool, state: Page
) -> Flow<PageEvent> {
    guard state == .loading else { return .none }
    return networkService.fetch().map { .didLoad(cryptographicTool.decrypt($0)) }
}

private final class PageUseCase: Sendable {
    private let networkService: NetworkService
    private let cryptographicTool: CryptographicTool

    init(networkService: NetworkService, cryptographicTool: CryptographicTool) {
        self.networkService = networkService
        self.cryptographicTool = cryptographicTool
    }

    func load(state: Page) -> Flow<PageEvent> {
        loadEffect(networkService: networkService, cryptographicTool: cryptographicTool, state: state)
    }
}

private typealias LoadEffect = @Sendable (Page) -> Flow<PageEvent>

private func makeLoadEffect(
    networkService: NetworkService, cryptographicTool: CryptographicTool
) -> LoadEffect {
    { loadEffect(networkService: networkService, cryptographicTool: cryptographicTool, state: $0) }
}

/// The cases of Spin.Swift's README: what an effect depends on.
@Suite struct SpinDependencyTests {
    /// Loads once: one decrypted event in `.loading`, none in other states.
    private func checkLoading(by feedback: Feedback<Page, PageEvent>) {
        let log = LoopLog<Page, PageEvent>()
        let loop = Spin(initialState: Page.idle, executeOn: .caller) {
            feedback
            Reducer { (_: Page, event: PageEvent) -> Page in
                switch event {
                case .load: .loading
                case .didLoad(let text): .loaded(text)
                }
            }
        }.start(observers: [log])
        loop.emit(.load)
        #expect(log.states == [.idle, .loading, .loaded("secret")])
    }

    @Test func spin12_anEffectIsAMethodOfAContainer() {
        let useCase = PageUseCase(
            networkService: NetworkService(), cryptographicTool: CryptographicTool())
        checkLoading(by: Feedback(effect: useCase.load))
    }

    @Test func spin13_anEffectIsMadeByAFactory() {
        let effect = makeLoadEffect(
            networkService: NetworkService(), cryptographicTool: CryptographicTool())
        checkLoading(by: Feedback(effect: effect))
    }

    @Test func spin14_anEffectIsGivenItsDependencies() {
        checkLoading(
            by: Feedback(effect: loadEffect, dep1: NetworkService(), dep2: CryptographicTool()))
    }

    @Test func oneToFourDependenciesComeBeforeTheState() {
        @Sendable func one(_ first: Int, _ state: Int) -> Flow<String> { .just("\(first),\(state)") }
        @Sendable func three(_ first: Int, _ second: String, _ third: Bool, _ state: Int) -> Flow<String> {
            .just("\(first),\(second),\(third),\(state)")
        }
        @Sendable func four(
            _ first: Int, _ second: String, _ third: Bool, _ fourth: Int, _ state: Int
        ) -> Flow<String> {
            .just("\(first),\(second),\(third),\(fourth),\(state)")
        }
        let log = LoopLog<Int, String>()
        let loop = Spin(initialState: 0, executeOn: .caller) {
            Feedback(effect: one, dep1: 1)
            Feedback(
                effect: { (first, second, state) in .just("\(first)\(second)\(state)") }, dep1: 1, dep2: 2)
            Feedback(effect: three, dep1: 1, dep2: "b", dep3: true)
            Feedback(effect: four, dep1: 1, dep2: "b", dep3: true, dep4: 4)
            Reducer { (_: Int, _: String) -> Int? in nil }
        }.start(observers: [log])
        #expect(
            log.lines("unhandled") == ["1,0", "120", "1,b,true,0", "1,b,true,4,0"].map { "unhandled \($0)" })
        #expect(loop.counters.unhandled == 4)
    }
}
