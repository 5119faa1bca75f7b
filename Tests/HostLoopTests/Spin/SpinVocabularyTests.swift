import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

private struct Number: HostLoopVocabularies.State { var value = 0 }
private struct Add: HostLoopVocabularies.Event { var value: Int }

// Safe because it adds nothing.
private final class NumberReactor: BaseReactor<Int, Int, Int>, @unchecked Sendable {
    init() { super.init(initialState: 0) }
    override func mutate(action: Int) -> Mutations<Int> { [action] }
    override func reduce(state: Int, mutation: Int) -> Int { state + mutation }
}

private struct Sum: ViewState { var value = 0 }

// Safe because it adds nothing.
private final class SumModel: ViewModel<Sum>, @unchecked Sendable {
    func add(_ value: Int) {
        write { state.value += value }
    }
}

@Suite struct SpinVocabularyTests {
    // The original has three flavours of everything, one per reactive framework, and aliases to tell them
    // apart in one file. There is one flavour here; what has to get along is the words of five libraries.
    @Test func spin19_theWordsOfFiveLibrariesGetAlongInOneFile() {
        let spin = UISpin(
            spin: Spin(initialState: 0, executeOn: .caller) {
                Feedback(effect: { (state: Int) -> Int? in state == 1 ? 1 : nil })
                Reducer { (state: Int, event: Int) in state + event }
            })
        spin.start()
        spin.emit(1)
        #expect(spin.state == 2)

        let system = System {
            InitialState { Number() }
            Feedbacks {
                Feedback(on: Number.self, strategy: .continueOnNewState) {
                    state -> Flow<any HostLoopVocabularies.Event> in
                    state.value == 1 ? .just(Add(value: 1)) : .none
                }
            }
            Transitions {
                From(Number.self) { state in
                    On(Add.self, transitionTo: Number.self) { Number(value: state.value + $0.value) }
                }
            }
        }.execute(on: .caller).uiSystem().run()
        system.emit(Add(value: 1))
        #expect((system.state.state as? Number)?.value == 2)

        let states = FlowProbe(
            Flow.system(
                initialState: 1, reduce: { (state: Int, event: Int) in state + event }, scheduler: .caller,
                feedback: react(request: { $0 == 1 ? $0 : nil }, effects: { .just($0) })))
        #expect(states.values == [1, 2])

        let reactor = NumberReactor()
        reactor.action(2)
        #expect(reactor.state == 2)

        let model = SumModel(initialState: Sum())
        model.add(2)
        #expect(model.state == Sum(value: 2))
    }
}
