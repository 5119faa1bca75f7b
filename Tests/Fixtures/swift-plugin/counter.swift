import CPluginABI
import SpinPlugin

/// An instance: counts a word. The host calls it from one thread at a time.
final class Counter: @unchecked Sendable {
    let word: String
    let step: Int64
    var count: Int64 = 0

    init(_ config: UnsafePointer<spin_config>) {
        (word, step) = (String(cString: config.pointee.word.data), config.pointee.step)
    }

    func next() -> Int64 {
        count += step
        return count
    }
}

extension Counter {
    /// The object of an instance.
    static func of(_ instance: OpaquePointer) -> Counter { Instance.object(instance, as: Counter.self) }

    /// Emits a count.
    @discardableResult
    func emit(_ count: Int64, in call: Call) -> Status { Status(rawValue: counted(call.token, word, count)) }
}

/// Why `throw_in_task` fails.
struct NoCount: Error, CustomStringConvertible {
    let description: String
}

@c(create_counter)
func createCounter(_ token: OpaquePointer, _ config: UnsafePointer<spin_config>) -> OpaquePointer? {
    guard config.pointee.word.size > 0 else {
        Call(token).fail("there is no word")
        return nil
    }
    return Instance.make(Counter(config))
}

@c(destroy_counter)
func destroyCounter(_ instance: OpaquePointer) { Instance.destroy(instance) }

@c(start_counter)
func startCounter(_ token: OpaquePointer, _ instance: OpaquePointer) -> spin_status {
    Host.print("start \(Counter.of(instance).word)").rawValue
}

@c(stop_counter)
func stopCounter(_ instance: OpaquePointer) {
    let counter = Counter.of(instance)
    Host.print("stop \(counter.word) at \(counter.count)")
}

@c(save_counter)
func saveCounter(
    _ token: OpaquePointer, _ instance: OpaquePointer, _ saving: UnsafeMutablePointer<spin_saving>
) -> spin_status {
    let counter = Counter.of(instance)
    return Instance.write(Array("\(counter.count)".utf8), to: saving).rawValue
}

@c(restore_counter)
func restoreCounter(
    _ token: OpaquePointer, _ instance: OpaquePointer, _ saved: UnsafePointer<spin_saved>
) -> spin_status {
    guard saved.pointee.schema == 1 else { return Call(token).fail("its schema is newer").rawValue }
    let text = String(decoding: Instance.bytes(of: saved), as: UTF8.self)
    guard let count = Int64(text) else {
        return Call(token).fail("a number is expected, `\(text)` came").rawValue
    }
    Counter.of(instance).count = count
    return SPIN_OK
}

@c(count)
func countOnce(_ instance: OpaquePointer) -> Int64 { Counter.of(instance).next() }

@c(count_on_thread)
func countOnThread(_ token: OpaquePointer, _ instance: OpaquePointer) {
    let (call, counter) = (Call(token), Counter.of(instance))
    let count = counter.next()
    Host.work {
        Host.print(call.deadline == .max ? "for ever" : "until then")
        counter.emit(count, in: call)
        call.finish()
    }
}

@c(count_in_task)
func countInTask(_ token: OpaquePointer, _ instance: OpaquePointer, _ times: Int64) {
    let (call, counter) = (Call(token), Counter.of(instance))
    call.run {
        var number: Int64 = 0
        while number < times, !Task.isCancelled {
            number += 1
            await Task.yield()
            counter.emit(number, in: call)
        }
    }
}

@c(count_by_timer)
func countByTimer(_ token: OpaquePointer, _ instance: OpaquePointer) {
    let (call, counter) = (Call(token), Counter.of(instance))
    do throws(Status) {
        try call.startTimer(after: .zero, every: .milliseconds(1)) { _ in
            counter.emit(counter.next(), in: call)
        }
        try call.onCancel { Host.print("no more counts") }
    } catch { call.fail("there is no timer", code: error) }
}

@c(sleep_in_task)
func sleepInTask(_ token: OpaquePointer, _ instance: OpaquePointer) {
    let (call, counter) = (Call(token), Counter.of(instance))
    call.run {
        counter.emit(0, in: call)
        do { try await Task.sleep(for: .seconds(100_000)) } catch {
            Host.print("woken")
            throw error
        }
    }
}

@c(throw_in_task)
func throwInTask(_ token: OpaquePointer) {
    Call(token).run { throw NoCount(description: "there is nothing to count") }
}
