import HostLoop
import HostLoopFlow
import HostLoopVocabularies
import Testing

/// What the README of the original view model library shows, by its case numbers.
@MainActor @Suite struct SobreiroTests {
    // The original renders an equal state again unless the program writes an `==`; here it is synthesised.
    @Test func so1_anEnumerationIsTheStateOfAView() {
        let model = Results.Model()
        let view = RenderedView<Results.State>()
        model.subscribe(view: view)
        model.didLoad([1])
        model.didLoad([1])
        #expect(view.rendered == [.loading(nil), .loaded([1])])
    }

    @Test func so2_commandsGoFromStateToState() {
        let model = Results.Model()
        model.startLoading()
        #expect(model.state == .loading(nil))
        model.didLoad([1])
        model.startLoading()
        #expect(model.state == .loading([1]))
        model.didFail("offline")
        #expect(model.state == .failed("offline", [1]))
        model.startLoading()
        #expect(model.state == .loading(nil))
    }

    @Test func so3_aViewThatSubscribesIsRenderedAtOnce() {
        let model = Results.Model()
        model.didLoad([1])
        let view = RenderedView<Results.State>()
        model.subscribe(view: view)
        #expect(view.rendered == [.loaded([1])])
    }

    private struct MiniUser: ViewState {
        enum Role: Equatable, Sendable { case sales, support, development }
        var image: String?
        var name: String
        var role: Role
    }

    private struct FrontRunner: ViewState {
        var image: String
        var name: String
        var points: Int
    }

    // Safe because it adds nothing.
    private final class MiniUserModel: ViewModel<MiniUser>, @unchecked Sendable {
        func rename(_ name: String) {
            write { state.name = name }
        }
    }

    // Safe because it adds an immutable property only.
    private final class FrontRunnerModel: ViewModel<FrontRunner>, @unchecked Sendable {
        let user: MiniUserModel

        init(initialState: FrontRunner, user: MiniUserModel) {
            self.user = user
            super.init(initialState: initialState)
            subscribe(to: user) { [weak self] in self?.userDidChange($0) }
        }

        private func userDidChange(_ user: MiniUser) {
            update { FrontRunner(image: user.image ?? "nobody", name: user.name, points: state.points) }
        }

        func score() {
            write { state.points += 1 }
        }
    }

    @Test func so4_aStructureIsAStateToo() {
        let model = MiniUserModel(initialState: MiniUser(image: nil, name: "Ada", role: .development))
        let view = RenderedView<MiniUser>()
        model.subscribe(view: view)
        model.rename("Grace")
        model.rename("Grace")
        #expect(view.rendered.map(\.name) == ["Ada", "Grace"])
    }

    // The original's closure keeps the parent; here too, so it is a weak one.
    @Test func so5_aComposedModelFollowsItsComponent() {
        let user = MiniUserModel(initialState: MiniUser(image: nil, name: "Ada", role: .development))
        let model = FrontRunnerModel(
            initialState: FrontRunner(image: "none", name: "", points: 3), user: user)
        #expect(model.state == FrontRunner(image: "nobody", name: "Ada", points: 3))
        model.score()
        user.rename("Grace")
        #expect(model.state == FrontRunner(image: "nobody", name: "Grace", points: 4))
    }

    // Safe because it adds a lock only.
    private final class Animation: ViewModel<CountState>, @unchecked Sendable {
        let attempts = Box(0)

        func animate() {
            write {
                attempts.change { $0 += 1 }
                guard state.value == 0 else { return }
                state.value = 1
            }
        }

        func setValue(_ value: Int) {
            update { CountState(value: state.value * 10 + value) }
        }
    }

    @Test func so7_aWriteMayLeaveTheStateAsItIs() {
        let model = Animation(initialState: CountState())
        let view = RenderedView<CountState>()
        model.subscribe(view: view)
        model.animate()
        model.animate()
        #expect(model.attempts.value == 2)
        #expect(view.rendered.map(\.value) == [0, 1])
    }

    @Test func so8_anUpdateBuildsTheStateFromTheOneAtHand() {
        let model = Animation(initialState: CountState(value: 4))
        model.setValue(2)
        #expect(model.state.value == 42)
    }

    @Test func so9_aViewMaySubscribeAndUnsubscribe() {
        let model = CountModel()
        let view = RenderedView<CountState>()
        model.subscribe(view: view)
        model.add(1)
        model.unsubscribe(view: view)
        model.add(1)
        #expect(view.rendered.map(\.value) == [0, 1])
        model.subscribe(view: view)
        #expect(view.rendered.map(\.value) == [0, 1, 2])
    }

    @Test func so10_aViewThatChangesItsModelLeavesTheOldOne() {
        final class Screen: StatefulView {
            var rendered: [Int] = []
            var model: CountModel? {
                willSet { model?.unsubscribe(view: self) }
                didSet { model?.subscribe(view: self) }
            }
            func render(state: CountState) { rendered.append(state.value) }
        }
        let (first, second) = (CountModel(1), CountModel(10))
        let screen = Screen()
        screen.model = first
        first.add(1)
        screen.model = second
        first.add(1)
        second.add(1)
        screen.model = nil
        second.add(1)
        #expect(screen.rendered == [1, 2, 10, 11])
    }

    @Test func so11_everyStateIsRenderedInOrder() {
        let model = CountModel()
        let view = RenderedView<CountState>()
        model.subscribe(view: view)
        for _ in 0..<100 { model.add(1) }
        #expect(view.rendered.map(\.value) == Array(0...100))
    }

    @Test func so12_aModelFollowsAnotherAtOnceAndLater() {
        let (model, other) = (CountModel(), CountModel(5))
        let seen = Box<[Int]>([])
        model.subscribe(to: other) { state in seen.change { $0.append(state.value) } }
        #expect(seen.value == [5])
        other.add(1)
        other.add(0)
        #expect(seen.value == [5, 6])
    }

    @Test func so13_aModelMayStopFollowing() {
        let (model, other) = (CountModel(), CountModel(5))
        let seen = Box<[Int]>([])
        model.subscribe(to: other) { state in seen.change { $0.append(state.value) } }
        model.unsubscribe(from: other)
        other.add(1)
        #expect(seen.value == [5])
    }

    @Test func so14_queriesTellWhatAViewNeeds() {
        let model = Results.Model()
        #expect(model.state.isLoading)
        #expect(model.state.results == nil)
        model.didLoad([1, 2])
        model.didFail("offline")
        #expect(!model.state.isLoading)
        #expect(model.state.results == [1, 2])
        #expect(model.state.failure == "offline")
    }

    private struct Rounded: ViewState {
        var value: Double
        static func == (lhs: Rounded, rhs: Rounded) -> Bool { lhs.value.rounded() == rhs.value.rounded() }
    }

    @Test func so15_anEqualityOfItsOwnAvoidsRendering() {
        let model = ViewModel(initialState: Rounded(value: 1))
        let view = RenderedView<Rounded>()
        model.subscribe(view: view)
        model.write { model.state.value = 1.2 }
        model.write { model.state.value = 1.8 }
        #expect(view.rendered.map(\.value) == [1, 1.8])
    }
}
