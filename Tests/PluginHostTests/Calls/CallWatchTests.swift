import Foundation
import HostLoop
import Interfaces
@testable import PluginHost
import Records
import TestSupport
import Testing

/// The calls that last too long, seen from outside.
@Suite struct CallWatchTests {
    let host: TestHost
    let image: PluginImage

    init() throws {
        host = try TestHost()
        image = try host.open("misbehaves.c")
    }

    private func calls() -> [RunningCall] { RunningCall.all().filter { $0.isOf(image) } }

    private func at(_ seconds: Double) -> LoopInstant {
        LoopInstant(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    @Test func `a running call is listed, reported after the deadline, and then more and more rarely`() throws
    {
        let pipe = Pipe()
        let (image, reading) = (image, pipe.fileHandleForReading.fileDescriptor)
        let ended = DispatchSemaphore(value: 0)
        #expect(calls() == [])
        OtherThread.start {
            _ = try? call(
                image, "int64_t wait_for_byte(int32_t descriptor)", nil, .value(.int(Int64(reading))))
            ended.signal()
        }
        try blockUntil { !calls().isEmpty }
        let running = calls()
        #expect(running.map(\.what) == ["effect `wait_for_byte`"])
        var watch = CallWatch(deadline: .seconds(1))
        #expect(watch.look(running, at: at(10)).isEmpty)
        #expect(watch.look(calls(), at: at(10.9)).isEmpty)
        var told: [Int64] = []
        for tenth in 0...100 {
            let overdue = watch.look(calls(), at: at(11 + Double(tenth) / 10))
            told += overdue.map(\.lasted.components.seconds)
        }
        #expect(told == [1, 2, 4, 8])
        pipe.fileHandleForWriting.write(Data([1]))
        ended.wait()
        #expect(calls() == [])
        #expect(watch.look(calls(), at: at(100)).isEmpty)
    }

    @Test func `many short calls do not count as a long one`() {
        var watch = CallWatch(deadline: .seconds(1))
        func seen(_ serial: UInt64) -> [RunningCall] {
            [
                RunningCall(
                    thread: 1, serial: serial, owner: 2, role: .effect, name: "f", what: "effect `f`")
            ]
        }
        for second in 0..<5 {
            #expect(watch.look(seen(UInt64(second)), at: at(Double(second) * 2)).isEmpty)
        }
        #expect(watch.look(seen(4), at: at(10)).map(\.lasted) == [.seconds(2)])
        #expect(watch.look([], at: at(11)).isEmpty)
        #expect(watch.look(seen(4), at: at(12)).isEmpty)
    }

    @Test func `a pause of the watch does not count against a call`() {
        var watch = CallWatch(deadline: .seconds(1))
        let calls = [
            RunningCall(thread: 1, serial: 1, owner: 2, role: .effect, name: "f", what: "effect `f`")
        ]
        #expect(watch.look(calls, at: at(0)).isEmpty)
        #expect(watch.look(calls, at: at(60)).isEmpty)
        #expect(watch.look(calls, at: at(60.5)).isEmpty)
        #expect(watch.look(calls, at: at(61)).map(\.lasted) == [.seconds(1)])
    }

    @Test func `no call is listed when all have returned`() throws {
        _ = try call(image, "int64_t emit_kept(void)")
        #expect(calls() == [])
    }
}
