import CPluginABI
import Glibc
import HostLoop
import PluginHost
import Records
import Synchronization

/// Serves a host in a worker: loads plugins, makes calls, and reports their results. May be used from any thread.
final class WorkerServer: Sendable {
    private struct State {
        var services: HostServices?
        var plugins: [UInt64: ServedPlugin] = [:]
        /// The plugin that is or was loaded last.
        var lastLoaded: UInt64 = 0
        var functions: [UInt64: ServedFunction] = [:]
        /// Calls that take `spin_call *`.
        var calls: [UInt64: ServedCall] = [:]
        /// What waits for room in a mailbox.
        var roomWaits: [UInt64: @Sendable () -> Void] = [:]
        var lastWait: UInt64 = 0
    }

    let link: HostLink
    private let reader: MessageReader
    private let lanes = Lanes()
    private let jobs = JobThreads()
    private let state = Lock(State())
    private let threads = Lock<ReaderThreads?>(nil)
    /// The function that the reading thread has called last. All functions live as long as the worker.
    private let present = Atomic<UInt>(0)

    init(_ memory: SharedMemory) {
        link = HostLink(memory)
        reader = MessageReader(memory, .toWorker)
    }

    /// Calls `body` with the first message, which the host has written before it has started this process.
    func begin(_ body: (inout ByteReader) throws(DamagedBytes) -> Void) {
        do throws(DamagedBytes) {
            let isRead = try reader.read { kind, message throws(DamagedBytes) in
                guard kind == HostMessage.begin.rawValue else {
                    throw DamagedBytes("it is not the first message")
                }
                try body(&message)
            }
            if !isRead { throw DamagedBytes("it is missing") }
        } catch { Self.end("the host's first message is damaged: \(error)") }
    }

    /// Serves on this thread and on others, and never returns.
    func run() -> Never {
        let reading = ReaderThreads(
            reader, next: { [self] in next() }, lasting: { [self] in markPresent() })
        threads.exchange(reading)
        reading.run()
    }

    /// This thread is about to wait: another one reads meanwhile.
    func willWait() { threads.withLock { $0 }?.willWait() }

    private static func end(_ reason: String) -> Never {
        StandardPlace.complain(reason)
        _exit(EXIT_FAILURE)
    }

    // MARK: - Messages

    private static let none = OtherJob {}

    /// Reads a message; nil if no message waits.
    private func next() -> (any ReaderJob)? {
        do throws(DamagedBytes) { return try read() } catch {
            Self.end("a message of the host is damaged: \(error)")
        }
    }

    /// The same; throws if the message is damaged.
    func read() throws(DamagedBytes) -> (any ReaderJob)? {
        var job: (any ReaderJob)?
        let isRead = try reader.read { kind, message throws(DamagedBytes) in
            job = try self.job(HostMessage(rawValue: kind), &message)
        }
        return isRead ? job ?? Self.none : nil
    }

    /// Adds a plugin that was loaded.
    func add(_ plugin: ServedPlugin, _ number: UInt64) { state.withLock { $0.plugins[number] = plugin } }

    private func job(
        _ kind: HostMessage?, _ message: inout ByteReader
    ) throws(DamagedBytes) -> (any ReaderJob)? {
        switch kind {
        case .call: return try call(&message)
        case .cancel:
            let number = try message.number()
            let waiting = lanes.take(number)
            guard let call = waiting ?? state.withLock({ $0.calls[number] }) else { return nil }
            // The next call of the lane may undo what the plugin does for the end of this one.
            lanes.hold(call.lane)
            return OtherJob { [self] in
                if waiting == nil { call.cancel() } else { call.refuse() }
                if let next = lanes.leave(call.lane) { start(next) }
            }
        case .room:
            let wait = try message.number()
            return OtherJob { [self] in takeRoomWait(wait)?() }
        case .close:
            let (request, plugin) = (try message.number(), try message.number())
            let function = try message.text()
            let address: UInt64 = try message.fixed()
            return OtherJob { [self] in
                state.withLock { $0.plugins[plugin] }?.close(UInt(address), by: function)
                link.reply(request) { _ in }
            }
        case .load: return try load(&message)
        case .prepare: return try prepare(&message)
        case .instance: return try instance(&message)
        case .metrics:
            let request = try message.number()
            return OtherJob { [self] in replyMetrics(request) }
        case .begin, nil: throw DamagedBytes("a message has an unknown kind")
        }
    }

    private func call(_ message: inout ByteReader) throws(DamagedBytes) -> (any ReaderJob)? {
        let (number, id) = (try message.number(), try message.number())
        guard let function = state.withLock({ $0.functions[id] }) else {
            throw DamagedBytes("there is no function \(id)")
        }
        let call = try ServedCall(number, function, &message, self)
        if function.isEmitting { state.withLock { $0.calls[number] = call } }
        guard lanes.enter(call.lane, call) else { return nil }
        guard function.isSlow.load(ordering: .relaxed) else { return call }
        start(call)
        return nil
    }

    /// Does a job on a thread of its own.
    private func start(_ job: any ReaderJob) {
        jobs.start { [self] in
            guard let call = job as? ServedCall else { return job.run() }
            let begin = ContinuousClock.now
            make(call)
            if begin.duration(to: .now) < ReaderThreads.look {
                call.function.isSlow.store(false, ordering: .relaxed)
            }
        }
    }

    /// Makes a call on this thread, which reads.
    func makeHere(_ call: ServedCall) {
        // Safe because the number is only used while the function is kept.
        let mark = unsafe UInt(bitPattern: Unmanaged.passUnretained(call.function).toOpaque())
        present.store(mark, ordering: .relaxed)
        make(call)
        present.store(0, ordering: .relaxed)
    }

    /// The reading thread makes a call that lasts: later calls of the function get threads of their own.
    private func markPresent() {
        // Safe because the functions live as long as the worker.
        guard let function = unsafe UnsafeRawPointer(bitPattern: present.load(ordering: .relaxed)) else {
            return
        }
        unsafe Unmanaged<ServedFunction>.fromOpaque(function).takeUnretainedValue().isSlow.store(
            true, ordering: .relaxed)
    }

    private func make(_ call: ServedCall) {
        call.make()
        // A thread of its own: this one may be the reader.
        if let next = lanes.leave(call.lane) { start(next) }
    }

    private func load(_ message: inout ByteReader) throws(DamagedBytes) -> (any ReaderJob) {
        let (request, number) = (try message.number(), try message.number())
        let library = try LoadRequest(&message)
        return OtherJob { [self] in
            link.reply(request) { _ throws(PluginError) in
                state.withLock { $0.lastLoaded = number }
                let image = try library.open(services())
                add(try ServedPlugin(image, declares: library.declares), number)
            }
        }
    }

    private func prepare(_ message: inout ByteReader) throws(DamagedBytes) -> (any ReaderJob) {
        let (request, plugin, id) = (try message.number(), try message.number(), try message.number())
        let wanted = try FunctionRequest(&message)
        return OtherJob { [self] in
            link.reply(request) { _ throws(PluginError) in
                guard let plugin = state.withLock({ $0.plugins[plugin] }) else {
                    throw .ended("it has no plugin \(plugin)")
                }
                let function = try plugin.prepare(wanted)
                state.withLock { $0.functions[id] = function }
            }
        }
    }

    private func instance(_ message: inout ByteReader) throws(DamagedBytes) -> (any ReaderJob)? {
        let (request, plugin, number) = (try message.number(), try message.number(), try message.number())
        guard let step = InstanceStep(rawValue: try message.byte()) else {
            throw DamagedBytes("an unknown step")
        }
        let rest = unsafe try Array(message.raw(message.rest))
        // One function of an instance at a time, as calls for it.
        let lane = number << 1 | 1
        let job = OtherJob { [self] in
            link.reply(request) { body throws(PluginError) in
                guard let plugin = state.withLock({ $0.plugins[plugin] }) else {
                    throw .ended("it has no plugin \(plugin)")
                }
                try ByteReader.read(rest) { reader throws(PluginError) in
                    try plugin.take(step, number, &reader) { body.put($0.framed) }
                }
            }
            if let next = lanes.leave(lane) { start(next) }
        }
        return lanes.enter(lane, job) ? job : nil
    }

    // MARK: - What waits

    /// A call is over.
    func forget(_ number: UInt64) { state.withLock { $0.calls[number] = nil } }

    func addRoomWait(_ body: @escaping @Sendable () -> Void) -> UInt64 {
        state.withLock { state in
            state.lastWait += 1
            state.roomWaits[state.lastWait] = body
            return state.lastWait
        }
    }

    @discardableResult
    func takeRoomWait(_ number: UInt64) -> (@Sendable () -> Void)? {
        state.withLock { $0.roomWaits.removeValue(forKey: number) }
    }

    // MARK: - Services

    /// The services of all plugins, which can so use each other's tables: the log and the output are the host's.
    private func makeServices() -> HostServices {
        HostServices(
            clock: ContinuousLoopClock(), wallTime: { StandardPlace.wallTime },
            log: { [self] line in
                // Nothing takes a lock while a message is written.
                let plugin = number(of: line.plugin)
                let call = line.call.flatMap { HostServices.running($0)?.sink as? ServedCall }
                let message = LogMessage(line, call: call?.number ?? 0)
                link.send(.logged) { body in
                    body.put(plugin)
                    message.write(to: body)
                }
            },
            output: { [link] line in link.ask(.printed) { $0.put(line) }?.status == SPIN_OK },
            lateEmission: { [link] in link.send(.late) { _ in } })
    }

    /// The services, made once.
    private func services() -> HostServices {
        state.withLock { state in
            if let made = state.services { return made }
            let made = makeServices()
            state.services = made
            return made
        }
    }

    /// The newest plugin with that id; while it is being loaded, the one that was asked for last.
    private func number(of id: String) -> UInt64 {
        state.withLock { state in
            state.plugins.filter { $0.value.image.id == id }.keys.max() ?? state.lastLoaded
        }
    }

    private func replyMetrics(_ request: UInt64) {
        let (services, plugins) = (services(), state.withLock { $0.plugins })
        // All versions of a plugin have the same metrics.
        let ids = Set(plugins.values.map(\.image.id))
        link.reply(request) { body throws(PluginError) in
            let metrics = services.metrics.snapshot()
            body.put(count: ids.count)
            for id in ids {
                body.put(number(of: id))
                MetricsMessage.write(metrics.filter { $0.plugin == id }, to: body)
            }
        }
    }
}
