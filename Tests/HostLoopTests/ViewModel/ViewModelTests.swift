import Dispatch
@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import Observation
import TestSupport
import Testing

/// Transactions, views and subscriptions of view models, beyond the README of the original.
@MainActor @Suite struct ViewModelTests {
    @Test func aTransactionIsOneStepHoweverOftenItAssigns() {
        let model = CountModel()
        let view = RenderedView<CountState>()
        model.subscribe(view: view)
        model.write {
            for _ in 0..<5 { model.state.value += 1 }
            #expect(model.state.value == 5)
            #expect(view.rendered.map(\.value) == [0])
        }
        #expect(view.rendered.map(\.value) == [0, 5])
    }

    @Test func aWriteWithinAWriteBelongsToTheOutermost() {
        let model = CountModel()
        let view = RenderedView<CountState>()
        model.subscribe(view: view)
        model.write {
            model.state.value = 1
            model.write { model.state.value += 10 }
            #expect(model.state.value == 11)
            model.update { CountState(value: model.state.value + 100) }
        }
        #expect(view.rendered.map(\.value) == [0, 111])
    }

    @Test func whatAWriteTakesBackIsNotRendered() {
        let model = CountModel()
        let view = RenderedView<CountState>()
        model.subscribe(view: view)
        model.write {
            model.add(1)
            model.add(-1)
        }
        #expect(view.rendered.map(\.value) == [0])
    }

    @Test func aWriteAcrossModelsTellsThemAfterTheOutermost() {
        let (left, right) = (CountModel(1), CountModel(10))
        let lines = Box<[String]>([])
        let views = [("left", left), ("right", right)].map { name, model in
            let view = RenderedView<CountState> { state in
                lines.change {
                    $0.append("\(name) \(state.value), sum \(left.state.value + right.state.value)")
                }
            }
            model.subscribe(view: view)
            return view
        }
        left.write {
            right.write { right.state.value -= 5 }
            left.state.value += 5
            #expect(right.state.value == 5)
        }
        #expect(
            lines.value == ["left 1, sum 11", "right 10, sum 11", "left 6, sum 11", "right 5, sum 11"])
        withExtendedLifetime(views) {}
    }

    @Test func otherThreadsSeeTheStateFromBeforeWhileATransactionRuns() {
        let model = CountModel(1)
        let seen = Box(0)
        model.write {
            model.state.value = 2
            let done = Gate()
            OtherThread.start {
                seen.value = model.state.value
                done.open()
            }
            done.pass()
        }
        #expect(seen.value == 1)
        #expect(model.state.value == 2)
    }

    @Test func concurrentWritesLoseNothing() {
        let model = CountModel()
        let seen = Box<[Int]>([])
        let subscription = model.states.sink { state in seen.change { $0.append(state.value) } }
        DispatchQueue.concurrentPerform(iterations: 10_000) { _ in model.add(1) }
        #expect(model.state.value == 10_000)
        #expect(seen.value == Array(0...10_000))
        subscription.cancel()
        model.add(1)
        #expect(seen.value.count == 10_001)
        #expect(model.audience.count == 0)
    }

    @Test func writesAcrossTwoModelsInOppositeOrderCannotDeadlock() {
        let models = [CountModel(), CountModel()]
        DispatchQueue.concurrentPerform(iterations: 2_000) { number in
            let (first, second) = (models[number % 2], models[(number + 1) % 2])
            first.write {
                first.state.value += 1
                second.write { second.state.value -= 1 }
            }
        }
        #expect(models.map(\.state.value) == [0, 0])
    }

    @Test func modelsThatFollowEachOtherSettleFromManyThreads() {
        let (left, right) = (CountModel(), CountModel())
        left.subscribe(to: right) { [weak left] state in
            left?.write { left?.state.value = max(left?.state.value ?? 0, state.value) }
        }
        right.subscribe(to: left) { [weak right] state in
            right?.write { right?.state.value = max(right?.state.value ?? 0, state.value) }
        }
        DispatchQueue.concurrentPerform(iterations: 1_000) { number in
            let model = number % 2 == 0 ? left : right
            model.write { model.state.value = max(model.state.value, number) }
        }
        #expect(left.state.value == 999)
        #expect(right.state.value == 999)
    }

    @Test func aRenderingThatWritesIsRenderedAfterwards() {
        let model = CountModel()
        let first = RenderedView<CountState> { state in if state.value < 3 { model.add(1) } }
        let second = RenderedView<CountState>()
        model.subscribe(view: second)
        model.subscribe(view: first)
        #expect(first.rendered.map(\.value) == [0, 1, 2, 3])
        #expect(second.rendered.map(\.value) == [0, 1, 2, 3])
    }

    @Test func aViewThatSubscribesTwiceIsRenderedOnce() {
        let model = CountModel()
        let view = RenderedView<CountState>()
        model.subscribe(view: view)
        model.subscribe(view: view)
        model.add(1)
        #expect(view.rendered.map(\.value) == [0, 1])
    }

    @Test func followingTwiceReplacesTheFunction() {
        let (model, other) = (CountModel(), CountModel())
        let seen = Box<[String]>([])
        model.subscribe(to: other) { state in seen.change { $0.append("first \(state.value)") } }
        model.subscribe(to: other) { state in seen.change { $0.append("second \(state.value)") } }
        other.add(1)
        #expect(seen.value == ["first 0", "second 0", "second 1"])
    }

    @Test func aViewIsNotKeptAndForgottenWhenItIsGone() {
        let model = CountModel()
        weak var gone: RenderedView<CountState>?
        do {
            let view = RenderedView<CountState>()
            model.subscribe(view: view)
            gone = view
        }
        #expect(gone == nil)
        model.add(1)
        #expect(model.audience.count == 0)
    }

    @Test func aModelThatIsGoneHearsNothing() {
        let other = CountModel()
        let seen = Box<[Int]>([])
        do {
            let model = CountModel()
            model.subscribe(to: other) { state in seen.change { $0.append(state.value) } }
        }
        other.add(1)
        #expect(seen.value == [0])
        #expect(other.audience.count == 0)
    }

    @Test func aViewThatIsNotReadyIsSkippedAndRenderedAtTheNextChange() {
        let model = CountModel()
        let view = RenderedView<CountState>()
        view.policy.value = .notPossible(.viewNotReady)
        model.subscribe(view: view)
        model.add(1)
        #expect(view.rendered == [])
        view.policy.value = .possible
        model.add(1)
        #expect(view.rendered.map(\.value) == [2])
        view.policy.value = .notPossible(.viewDeallocated)
        model.add(1)
        #expect(model.audience.count == 0)
    }

    @Test func aViewMayUnsubscribeWhileItIsRendered() {
        let model = CountModel()
        let handle = Box<RenderedView<CountState>?>(nil)
        let view = RenderedView<CountState> { state in
            if state.value == 0, let view = handle.value { model.unsubscribe(view: view) }
        }
        handle.value = view
        model.subscribe(view: view)
        model.add(1)
        #expect(view.rendered.map(\.value) == [0])
        handle.value = nil
    }

    @Test func theStateIsTrackedByObservation() {
        let model = CountModel()
        let seen = Box<[Int]>([])
        _ = withObservationTracking {
            model.state
        } onChange: {
            seen.change { $0.append(model.state.value) }
        }
        model.add(0)
        #expect(seen.value == [])
        model.write {
            model.add(1)
            model.add(1)
        }
        #expect(seen.value == [2])
    }

    @Test func settingTheStateOutsideAWriteFails() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (model, other) = (CountModel(), CountModel())
            other.write { model.state.value = 1 }
        }
        let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(text.contains("the state of a view model is set outside its `write`"))
    }
}
