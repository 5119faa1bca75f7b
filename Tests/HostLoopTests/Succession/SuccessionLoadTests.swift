import Dispatch
import Glibc
import HostLoop
import Testing

/// Loops that follow each other while threads emit at full speed.
@Suite struct SuccessionLoadTests {
    struct Event: Sendable {
        let source: Int
        let number: Int
        /// The number of loops that it has passed.
        var hops = 0
    }

    struct State: Sendable {
        /// The number of the next event, by source.
        var next = [0, 0, 0, 0, 0, 0]
        var isOutOfOrder = false
    }

    private let reduced = Box([0, 0, 0, 0, 0, 0])

    private func reduce(_ state: inout State, _ event: Event) -> Bool {
        if state.next[event.source] != event.number { state.isOutOfOrder = true }
        state.next[event.source] = event.number + 1
        reduced.change { $0[event.source] = event.number + 1 }
        return true
    }

    /// Sources 2 and 3 are runs that continue, and 4 and 5 are runs of keys. Sources 0 and 1 are outside.
    @Test func eachEventIsReducedOnceAndInOrderWhereverItWasEmitted() {
        let runs = Box<[Int: Run<Event>]>([:])
        let begunAnew = Box(0)
        @Sendable func begin(_ source: Int, _ run: Run<Event>) -> EffectStatus {
            runs.change { runs in
                if runs.updateValue(run, forKey: source) != nil { begunAnew.change { $0 += 1 } }
            }
            return .pending
        }
        func spin(from state: State) -> Spin<State, Event> {
            let sources = [2, 3].map { source in
                Feedback<State, Event>.onState(
                    "source \\(source)", where: { _ in true }, strategy: .skipWhileRunning,
                    run: { begin(source, $1) })
            }
            let keys = Feedback<State, Event>.onEach(
                "sources", requests: { _ in [4, 5] }, key: { $0 }, since: { [4, 5] },
                run: { begin($0, $1) })
            return Spin(
                initialState: state, reducer: Reducer { reduce(&$0, $1) }, feedbacks: sources + [keys])
        }
        var loop = spin(from: State()).start()
        while runs.value.count < 4 { Self.rest(loop); loop.unpark() }
        let (emitter, own) = (loop, runs.value)
        let done = DispatchGroup()
        let isOver = Box(false)
        let counts = Box([0, 0, 0, 0, 0, 0])
        let refused = Box(0)
        for source in 0..<6 {
            DispatchQueue(label: "source \(source)").async(group: done) {
                for number in 0... {
                    // A larger lead could keep the loops from ever catching up.
                    while !isOver.value, reduced.value[source] + 500 < number { sched_yield() }
                    guard !isOver.value else { break }
                    counts.change { $0[source] = number + 1 }
                    let event = Event(source: source, number: number)
                    let result = own[source]?.emit(event) ?? emitter.emit(event)
                    if result != .queued { refused.change { $0 += 1 } }
                }
            }
        }
        let changes = LoopSuccession<Event>(feedbacks: [0: 0, 1: 1, 2: 2]) { event in
            var event = event
            event.hops += 1
            return event
        }
        for succession in 1...20 {
            while loop.state.next.contains(where: { $0 < succession * 100 }) {
                Self.rest(loop); loop.unpark()
            }
            Self.rest(loop)
            let (next, cancel) = spin(from: loop.state).loop(
                observers: [], inPlaceOf: loop, changes)
            cancel()
            next.unpark()
            loop = next
        }
        isOver.value = true
        done.wait()
        while loop.state.next != counts.value { Self.rest(loop); loop.unpark() }
        #expect(!loop.state.isOutOfOrder)
        #expect(refused.value == 0)
        #expect(begunAnew.value == 0)
        for run in own.values { run.finish() }
        #expect(own.values.allSatisfy { !$0.isCancelled })
    }

    private static func rest(_ loop: Loop<State, Event>) {
        let rests = DispatchSemaphore(value: 0)
        #expect(loop.park { _ in rests.signal() })
        rests.wait()
    }
}
