import HostLoop
import Observation
import Testing

/// State through Swift's `Observation`.
@Suite struct ObservableLoopTests {
    /// Tracks `read` again and again, and writes down what it sees at each announcement.
    @Sendable
    private static func follow<Value: Sendable>(
        _ read: @escaping @Sendable () -> Value, into seen: Box<[Value]>
    ) {
        _ = withObservationTracking {
            read()
        } onChange: {
            seen.change { $0.append(read()) }
            follow(read, into: seen)
        }
    }

    @Test func aChangeIsAnnouncedWhenTheNewStateIsVisible() {
        let loop = ObservableLoop(Counting.spin())
        let seen = Box<[Int]>([])
        Self.follow({ [weak loop] in loop?.state ?? -1 }, into: seen)
        loop.emit(1)
        loop.perform(2)
        loop.emit(0)
        loop.perform(-9)
        #expect(seen.value == [1, 3])
        #expect(loop.state == 3)
    }

    @Test func observersHearBeforeAndEffectsRunAfter() {
        let lines = Box<[String]>([])
        let log = Counting.Log { line in
            if line.hasPrefix("step") { lines.change { $0.append("observer") } }
        }
        let loop = ObservableLoop(
            Counting.spin(.always { state, _ in lines.change { $0.append("effect \(state)") } }),
            observers: [log])
        _ = withObservationTracking {
            loop.state
        } onChange: {
            lines.change { $0.append("announced") }
        }
        loop.perform(1)
        #expect(lines.value == ["effect 0", "observer", "announced", "effect 1"])
    }

    @Test func whatForwardsTheStateIsTrackedToo() {
        final class Screen: Observable, Sendable {
            let loop = ObservableLoop(Counting.spin())
            var title: String { "count \(loop.state)" }
        }
        let screen = Screen()
        let seen = Box<[String]>([])
        Self.follow({ [weak screen] in screen?.title ?? "" }, into: seen)
        screen.loop.emit(5)
        #expect(seen.value == ["count 5"])
    }

    @Test func everyStateOfALoopOnAPoolIsAnnounced() async {
        let loop = ObservableLoop(Counting.spin(executor: .pool, until: { $0 == 100 }))
        let announced = Box(0)
        @Sendable func track(_ loop: ObservableLoop<Int, Int>) {
            _ = withObservationTracking {
                loop.state
            } onChange: { [weak loop] in
                announced.change { $0 += 1 }
                if let loop { track(loop) }
            }
        }
        track(loop)
        for _ in 0..<100 { loop.emit(1) }
        await loop.loop.ended.wait()
        #expect(announced.value == 100)
        #expect(loop.state == 100)
    }

    @Test func theLastReleaseStopsTheLoop() {
        let log = Counting.Log()
        var loop: ObservableLoop? = ObservableLoop(Counting.spin(), observers: [log])
        loop?.emit(1)
        loop = nil
        #expect(log.lines.last == "stopped: released")
    }

    @Test func aStoppedLoopKeepsItsState() {
        let loop = ObservableLoop(Counting.spin())
        loop.perform(1)
        loop.stop()
        #expect(loop.perform(1) == .stopped)
        #expect(loop.emit(1) == .stopped)
        #expect(loop.state == 1)
    }
}
