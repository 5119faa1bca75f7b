@testable import HostLoop
@testable import HostLoopFlow
@testable import HostLoopVocabularies
import Testing

/// Flows as asynchronous sequences.
@Suite struct FlowIterationTests {
    private let source = HandSource<Int>()

    @Test func aMillionSynchronousValuesAreIterated() async throws {
        var sum = 0
        for try await value in Flow.from(1...1_000_000).filter({ $0 % 2 == 0 }) { sum += value }
        #expect(sum == 250_000_500_000)
    }

    @Test func operatorsMakeFlowsWhereverTheirFunctionsAreSynchronous() async throws {
        let flow = Flow.of(3, 4, 5)
        #expect(type(of: flow.map { $0 + 1 }) == Flow<Int>.self)
        #expect(type(of: flow.compactMap { $0 }.prefix(2).dropFirst()) == Flow<Int>.self)
        #expect(type(of: flow.flatMap { Flow.just($0) }) == Flow<Int>.self)
        let sum = try await flow.map { value in
            await Task.yield()
            return value
        }.reduce(0, +)
        #expect(sum == 12)
    }

    @Test func whatComesBetweenTwoQuestionsIsKept() async throws {
        var iterator = source.flow.makeAsyncIterator()
        source.emit(1, 2)
        #expect(try await iterator.next() == 1)
        source.emit(3)
        source.finish()
        #expect(try await iterator.next() == 2)
        #expect(try await iterator.next() == 3)
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(source.cancelled == [])
    }

    @Test func aFailureIsThrownOnceAfterTheValues() async throws {
        var iterator = source.flow.makeAsyncIterator()
        source.emit(1)
        source.fail("no")
        #expect(try await iterator.next() == 1)
        await #expect(throws: FlowFailure("no")) { try await iterator.next() }
        #expect(try await iterator.next() == nil)
    }

    @Test func leavingTheLoopCancelsTheSubscription() async throws {
        for try await value in source.flow.prepend(1, 2) where value == 2 { break }
        #expect(source.cancelled == [0])
        #expect(source.emit(3) == .cancelled)
    }

    @Test func cancellingTheTaskEndsTheIterationAndTheSubscription() async throws {
        let gear = Gear<Int>()
        let (began, beginning) = AsyncStream<Void>.makeStream()
        let task = Task {
            var values: [Int] = []
            for try await value in gear.flow.prepend(7) {
                values.append(value)
                beginning.finish()
            }
            return values
        }
        for await _ in began {}
        task.cancel()
        #expect(try await task.value == [7])
        gear.propagate(event: 8)
    }

    @Test func aWaitingIterationGetsTheNextValueTheFailureOrTheEnd() async throws {
        for ending in ["value", "finish", "fail"] {
            let source = HandSource<Int>()
            var iterator = source.flow.makeAsyncIterator()
            let poke = Task {
                switch ending {
                case "value": source.emit(1)
                case "finish": source.finish()
                default: source.fail("no")
                }
            }
            switch ending {
            case "value": #expect(try await iterator.next() == 1)
            case "finish": #expect(try await iterator.next() == nil)
            default: await #expect(throws: FlowFailure("no")) { try await iterator.next() }
            }
            await poke.value
        }
    }

    @Test func aFlowOfASequenceOfAFlowIsTheSameFlow() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let probe = FlowProbe(Flow.from(stream).map { $0 + 1 })
        for value in 0..<5 { continuation.yield(value) }
        continuation.finish()
        await probe.end()
        #expect(probe.lines == ["1", "2", "3", "4", "5", "finished"])
    }

    @Test func aSequenceIsLeftWhenThePrefixIsFull() async {
        let (stream, continuation) = AsyncStream<Int>.makeStream()
        let (ended, ending) = AsyncStream<Void>.makeStream()
        continuation.onTermination = { _ in ending.finish() }
        let probe = FlowProbe(Flow.from(stream).prefix(2))
        for value in 0..<5 { continuation.yield(value) }
        await probe.end()
        for await _ in ended {}
        #expect(probe.lines == ["0", "1", "finished"])
    }
}
