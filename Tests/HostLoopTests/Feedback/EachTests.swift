import HostLoop
import Testing

/// Rule 8, `onEach` over arrays and sets.
@Suite struct EachTests {
    typealias Each = Feedback<RequestLoop.State, RequestLoop.Event>

    private func each(_ runs: RequestRuns) -> Each {
        .onEach("each", requests: { $0.asks }, key: { $0.key }, run: runs.start)
    }

    @Test func newKeysStartKeptOnesAreNotInterruptedAndRemovedOnesAreCancelled() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(each(runs)).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        loop.emit(.ask(["b": 1, "c": 1]))
        #expect(runs.names == ["a1", "b1", "c1"])
        #expect(runs["a1"].isCancelled)
        #expect(!runs["b1"].isCancelled)
        #expect(!runs["c1"].isCancelled)
        #expect(log.runLines == ["run each 1", "run each 2", "cancel each 1", "run each 3"])
        loop.stop()
        runs.finishAll()
    }

    @Test func aDifferentRequestReplacesTheRunOfItsKeyAlone() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(each(runs)).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        loop.emit(.ask(["a": 2, "b": 1]))
        #expect(runs.names == ["a1", "b1", "a2"])
        #expect(log.runLines == ["run each 1", "run each 2", "cancel each 1", "run each 3"])
        #expect(!runs["b1"].isCancelled)
        loop.stop()
        runs.finishAll()
    }

    @Test func aKeyThatComesBackStartsAfresh() {
        let runs = RequestRuns()
        let loop = RequestLoop.spin(each(runs)).start()
        loop.emit(.ask(["a": 1]))
        let first = runs["a1"]
        loop.emit(.ask([]))
        #expect(first.isCancelled)
        loop.emit(.ask(["a": 1]))
        #expect(runs.names == ["a1", "a1"])
        #expect(runs["a1"].number == 2)
        #expect(!runs["a1"].isCancelled)
        // Later calls on the first run do not affect the second, though they share a slot.
        #expect(first.emit(.heard("late")) == .cancelled)
        first.finish()
        #expect(loop.ended.running == [EffectRun(feedback: "each", index: 1, number: 2)])
        #expect(runs["a1"].emit(.heard("in time")) == .queued)
        #expect(loop.state.heard == ["in time"])
        loop.stop()
        runs.finishAll()
    }

    @Test(arguments: [false, true])
    func aRunThatIsOverIsNotRepeatedUntilItsRequestDiffersOrItsKeyWasGone(fails: Bool) {
        let seen = Box<[String]>([])
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.asks }, key: { $0.key }) { ask in
                seen.change { $0.append("\(ask.key)\(ask.value)") }
                if fails { throw Counting.Failure() }
                return nil
            }
        ).start()
        for asks: KeyValuePairs in [
            ["a": 1], ["a": 1, "b": 1], ["b": 1, "a": 1], ["b": 2, "a": 1], ["a": 1], ["a": 1, "b": 2],
        ] {
            loop.emit(.ask(asks))
        }
        #expect(seen.value == ["a1", "b1", "b2", "b2"])
        #expect(loop.counters.faults == (fails ? 4 : 0))
    }

    @Test func endingsComeInTheOldOrderThenStartsInTheNewOne() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(each(runs)).start(observers: [log])
        loop.emit(.ask(["d": 1, "a": 1, "c": 1, "b": 1]))
        #expect(runs.names == ["d1", "a1", "c1", "b1"])
        loop.emit(.ask(["z": 1, "b": 2, "a": 1, "d": 2, "y": 1]))
        #expect(runs.names.suffix(4) == ["z1", "b2", "d2", "y1"])
        #expect(log.lines("cancel") == ["cancel each 1", "cancel each 3", "cancel each 4"])
        loop.stop()
        runs.finishAll()
    }

    @Test func twoRequestsWithOneKeyAreAFaultThatNamesItAndCountAsNone() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(each(runs)).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        loop.emit(.ask(["c": 1, "b": 1, "c": 2]))
        loop.emit(.ask(["b": 1, "b": 1]))
        #expect(
            log.lines("fault") == [
                "fault each at 2: two requests have the same key: c",
                "fault each at 3: two requests have the same key: b",
            ])
        #expect(log.faults.first?.source == .trigger(of: "each", at: 1))
        #expect(log.lines("cancel") == ["cancel each 1", "cancel each 2"])
        loop.emit(.ask(["b": 1]))
        #expect(runs.names == ["a1", "b1", "b1"])
        loop.stop()
        runs.finishAll()
    }

    @Test func requestsThatThrowAreAFaultAndEndEveryRun() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            .onEach(
                "each",
                requests: { state in
                    guard state.asks.count < 3 else { throw Counting.Failure() }
                    return state.asks
                }, key: { $0.key }, run: runs.start)
        ).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        loop.emit(.ask(["a": 1, "b": 1, "c": 1]))
        #expect(log.lines("fault") == [#"fault each at 2: Failure(text: "no")"#])
        #expect(runs["a1"].isCancelled && runs["b1"].isCancelled)
        loop.emit(.ask(["a": 1, "b": 1]))
        #expect(runs.names == ["a1", "b1", "a1", "b1"])
        loop.stop()
        runs.finishAll()
    }

    // MARK: - Order and withdrawal

    @Test func eventsOfAKeyThatLeavesAreWithdrawnAndThoseOfOthersStay() {
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.asks }, key: { $0.key }) { .heard("\($0.key)\($0.value)") }
        ).start(observers: [log])
        loop.emit(.together([.ask(["a": 1, "b": 1, "c": 1]), .ask(["b": 1, "c": 2])]))
        // The entries of "a" and "c" are before and behind the entry of "b". Only "c" has a new run that
        // reuses its position.
        #expect(loop.state.heard == ["b1", "c2"])
        #expect(log.lines("withdrawn") == ["withdrawn a1 of each 1", "withdrawn c1 of each 3"])
        #expect(loop.counters.withdrawn == 2)
    }

    @Test func aReplacedRunTakesThePlaceOfItsOwnKey() {
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.asks }, key: { $0.key }) { .heard("\($0.key)\($0.value)") }
        ).start()
        loop.emit(
            .together([.ask(["a": 1, "b": 1, "c": 1]), .ask(["d": 1, "c": 1, "b": 2, "a": 2])]))
        #expect(loop.state.heard == ["a2", "b2", "c1", "d1"])
    }

    @Test func eventsOfARunWhoseKeyHasGoneAreLate() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(each(runs)).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        loop.emit(.ask(["b": 1]))
        #expect(runs["a1"].emit(contentsOf: [.heard("x"), .heard("y")]) == .cancelled)
        #expect(runs["b1"].emit(.heard("z")) == .queued)
        #expect(log.lines("late") == ["late x of each 1", "late y of each 1"])
        #expect(loop.counters.late == 2)
        #expect(loop.state.heard == ["z"])
        loop.stop()
        runs.finishAll()
    }

    @Test func startsComeInTheOrderOfDeclarationAfterAllEndings() {
        let log = RequestLoop.Log()
        let all = { (name: String) -> Each in
            .onEach(name, requests: { $0.asks }, key: { $0.key }) { _, _ in .pending }
        }
        let single = { (name: String) -> Each in
            .onChange(name, request: { $0.asks.first }) { _, run in
                run.onCancel { run.finish() }
                return .pending
            }
        }
        let loop = RequestLoop.spin(single("first"), all("second"), single("third"), all("fourth"))
            .start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        loop.emit(.ask(["a": 2]))
        let told = log.lines.filter { !$0.hasSuffix("together 1") && !$0.hasSuffix("together 2") }
        #expect(
            told.filter { $0.hasPrefix("run") || $0.hasPrefix("cancel") } == [
                "run first 1", "run second 1", "run second 2", "run third 1", "run fourth 1", "run fourth 2",
                "cancel first 1", "cancel second 1", "cancel second 2", "cancel third 1", "cancel fourth 1",
                "cancel fourth 2",
                "run first 2", "run second 3", "run third 2", "run fourth 3",
            ])
        loop.stop()
    }

    @Test func anEventNamesTheDeclaredFeedbackAndTheRunOfItsKey() {
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.asks }, key: { $0.key }) { .heard($0.key) },
            .onState("last") { _ in nil }
        ).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        #expect(
            log.steps.map(\.origin.run) == [
                nil, EffectRun(feedback: "each", index: 1, number: 1),
                EffectRun(feedback: "each", index: 1, number: 2),
            ])
    }

    // MARK: - Ends

    @Test func aFailureIsCaughtOrAFaultOfTheKeysRunAlone() {
        let feedback = Each.onEach("each", requests: { $0.asks }, key: { $0.key }) { ask in
            guard ask.value > 0 else { throw Counting.Failure(text: ask.key) }
            return .heard(ask.key)
        }
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(feedback).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 0, "c": 1]))
        #expect(loop.state.heard == ["a", "c"])
        #expect(log.faults.map(\.source) == [.effect(EffectRun(feedback: "each", index: 1, number: 2))])
        let caught = RequestLoop.spin(feedback.catch { .heard("caught \($0)") }).start()
        caught.emit(.ask(["a": 1, "b": 0, "c": 1]))
        #expect(caught.state.heard == ["a", #"caught Failure(text: "b")"#, "c"])
        #expect(caught.counters.faults == 0)
    }

    @Test func aPendingRunFailsByItself() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(each(runs)).start(observers: [log])
        loop.emit(.ask(["a": 1, "b": 1]))
        runs["a1"].fail(Counting.Failure(text: "a"))
        #expect(log.faults.map(\.source) == [.effect(EffectRun(feedback: "each", index: 1, number: 1))])
        #expect(log.runLines.last == "end each 1")
        #expect(loop.ended.running == [EffectRun(feedback: "each", index: 1, number: 2)])
        loop.stop()
        runs.finishAll()
    }

    @Test func aStopCancelsEveryRunAndTheEndWaitsForAll() {
        let runs = RequestRuns()
        let cancelled = Box<[String]>([])
        let ended = Box(false)
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.asks }, key: { $0.key }) { ask, run in
                run.onCancel { cancelled.change { $0.append(ask.key) } }
                return runs.start(ask, run)
            }
        ).start()
        loop.emit(.ask(["b": 1, "a": 1, "c": 1]))
        loop.emit(.ask(["b": 1, "a": 1]))
        #expect(cancelled.value == ["c"])
        loop.ended.notify { ended.value = true }
        loop.stop()
        #expect(cancelled.value == ["c", "b", "a"])
        runs["a1"].finish()
        runs["b1"].finish()
        #expect(!ended.value)
        runs["c1"].finish()
        #expect(ended.value)
    }

    @Test func aRunThatStopsTheLoopIsTheLastToStart() {
        let seen = Box<[String]>([])
        let stop = Box<(@Sendable () -> Void)?>(nil)
        let loop = RequestLoop.spin(
            .onEach("each", requests: { $0.asks }, key: { $0.key }) { ask in
                seen.change { $0.append(ask.key) }
                if ask.key == "b" { stop.value?() }
                return nil
            }
        ).start()
        stop.value = { [weak loop] in loop?.stop() }
        loop.emit(.ask(["a": 1, "b": 1, "c": 1]))
        #expect(seen.value == ["a", "b"])
    }

    // MARK: - Sets

    @Test func aSetStartsItsNewMembersInIncreasingOrderAndEndsThoseThatLeft() {
        let runs = RequestRuns()
        let log = RequestLoop.Log()
        let loop = RequestLoop.spin(
            .onEach("each", requests: { Set($0.asks.map(\.key)) }) { key, run in
                runs.keep(key, run)
                return .pending
            }
        ).start(observers: [log])
        loop.emit(.ask(["d": 1, "b": 1, "a": 1, "c": 1]))
        #expect(runs.names == ["a", "b", "c", "d"])
        loop.emit(.ask(["f": 1, "c": 1, "e": 1]))
        #expect(runs.names == ["a", "b", "c", "d", "e", "f"])
        #expect(log.lines("cancel") == ["cancel each 1", "cancel each 2", "cancel each 4"])
        loop.stop()
        runs.finishAll()
    }

    @Test func aSetOfMembersWithoutAnOrderWorksToo() {
        let seen = Box<Set<RequestLoop.Request>>([])
        let loop = RequestLoop.spin(
            .onEach("each", requests: { Set($0.asks) }) { ask in
                seen.change { $0.insert(ask) }
                return .heard(ask.key)
            }
        ).start()
        loop.emit(.ask(["a": 1, "b": 2, "c": 3]))
        #expect(Set(seen.value.map(\.value)) == [1, 2, 3])
        #expect(loop.state.heard.sorted() == ["a", "b", "c"])
    }
}
