import CLinux
import Glibc
import HostLoop
import PluginHost
import Records
import Sandbox
import Synchronization

/// One process of a worker, from its start to its end. May be used from any thread.
final class WorkerProcess: Sendable {
    let writer: MessageWriter
    let reader: MessageReader
    let memory: SharedMemory
    /// Its number; nil for one that a test plays.
    let number: pid_t?
    /// Becomes readable when the process ends.
    private let end: FileDescriptor
    /// What the worker writes to its standard output and standard error output.
    private let output: FileDescriptor
    /// The worker sends the listener for its observed calls over it.
    private let socket: FileDescriptor
    /// The rules with the process's own folder; nil for a process that may do what the host may do.
    let policy: SandboxPolicy?
    private let folder: PrivateFolder?
    private let isReading = Atomic<Bool>(false)
    private let hasEnded = Atomic<Bool>(false)
    /// Whether `output` has reached its end.
    private let isSilent = Atomic<Bool>(false)
    private let fate = Lock(Fate())
    private let drained = Bell()
    /// Calls that wait for room in a mailbox.
    let roomWaits = Atomic<Int>(0)

    private struct Fate {
        /// Why it was killed.
        var reason: String?
        /// Whether the host has seen its end.
        var isSeen = false
        /// The system may give its number to another process.
        var isReaped = false
    }

    /// Starts a process for plugins, which ends at the latest when the calling thread does.
    ///
    /// - Throws: `DiagnosticCode.workerNotStarted`.
    convenience init(_ setup: WorkerSetup) throws(PluginError) {
        let folder = try PrivateFolder(in: setup.folder)
        var policy = setup.policy
        policy.scratch = folder.path
        // Swift's report of a crash needs a child, and the host reports the end itself.
        // libdispatch tries to raise the priority of a thread, which a worker may not do. It would report that to the
        // system's log, and so ask for a local socket.
        let variables = ["TMPDIR": folder.path, "SWIFT_BACKTRACE": "enable=no", "LIBDISPATCH_LOG": "NO"]
            .merging(setup.environment) { $1 }
        try self.init(setup.program, variables.map { "\($0.key)=\($0.value)" }, folder, policy, work: nil)
    }

    /// Starts a process that does some work and ends, with the host's environment, folder and permissions. It ends at
    /// the latest when the calling thread does.
    ///
    /// - Throws: `DiagnosticCode.workerNotStarted`.
    convenience init(_ program: String, doing work: [UInt8]) throws(PluginError) {
        let variables = ProcessEnvironment.atStart.filter { !$0.hasPrefix("SWIFT_BACKTRACE=") }
        try self.init(program, variables + ["SWIFT_BACKTRACE=enable=no"], nil, nil, work: work)
    }

    private init(
        _ program: String, _ variables: [String], _ folder: PrivateFolder?, _ policy: SandboxPolicy?,
        work: [UInt8]?
    ) throws(PluginError) {
        (self.folder, self.policy) = (folder, policy)
        let file = try SharedMemory.makeFile()
        memory = try SharedMemory(mapping: file)
        (writer, reader) = (MessageWriter(memory, .toWorker), MessageReader(memory, .toHost))
        var pipe: [Int32] = [-1, -1]
        // Safe because the array has room for both ends.
        guard unsafe linux_pipe(&pipe) == 0 else {
            throw .notStarted("it gets no pipe: \(SystemError.last.text)")
        }
        output = FileDescriptor(pipe[0])
        let other = FileDescriptor(pipe[1])
        var ends: [Int32] = [-1, -1]
        if let work {
            // Safe because the call copies the bytes.
            ends[1] = unsafe work.withUnsafeBytes { unsafe linux_sealed_memory($0.baseAddress, $0.count) }
            guard ends[1] >= 0 else { throw .notStarted("it gets no memory: \(SystemError.last.text)") }
        } else {
            // Safe because the array has room for both.
            guard unsafe linux_socket_pair(&ends) == 0 else {
                throw .notStarted("it gets no socket: \(SystemError.last.text)")
            }
        }
        socket = FileDescriptor(ends[0])
        let far = FileDescriptor(ends[1])
        // It is there when the process looks.
        _ = writer.send(HostMessage.begin.rawValue) { body in
            body.put(UInt64(getpid()))
            body.put(byte: policy == nil ? 0 : 1)
            policy?.write(to: body)
        }
        let number = try Self.spawn(
            program, variables, in: folder?.path, memory: file.number, output: other.number, other: far.number
        )
        self.number = number
        end = FileDescriptor(linux_process_descriptor(number))
        guard end.number >= 0 else {
            let reason = SystemError.last.text
            reap()
            throw .notStarted(reason)
        }
    }

    /// A process that a test plays.
    init(playedIn file: borrowing FileDescriptor) throws(PluginError) {
        memory = try SharedMemory(mapping: file)
        (writer, reader) = (MessageWriter(memory, .toWorker), MessageReader(memory, .toHost))
        (number, policy, folder) = (nil, nil, nil)
        end = FileDescriptor(-1)
        output = FileDescriptor(-1)
        socket = FileDescriptor(-1)
    }

    /// Tells of the calls that the worker makes of the system, on a thread of its own, until the process ends.
    ///
    /// - Parameter onAccess: called before the call continues.
    /// - Throws: `DiagnosticCode.workerNotStarted`.
    func observe(_ onAccess: @escaping @Sendable (Access) -> Void) throws(PluginError) {
        guard let number, let policy, policy.observation != .off || policy.processes > 0 else { return }
        if policy.isBestEffort, !SandboxAbility.current.hasNotifications { return }
        let observer: AccessObserver
        do throws(SandboxError) {
            observer = try AccessObserver(
                listener: DescriptorPassing.receive(over: socket.number), of: number, policy: policy,
                onAccess: onAccess)
        } catch { throw .notStarted(error.description) }
        // The thread ends with the process.
        let isRunning = HostThread.start { [self] in
            do { try observer.run() } catch { kill("its calls cannot be observed: \(error)") }
        }
        if !isRunning { throw .notStarted("the system has no thread left") }
    }

    // MARK: - Messages

    /// Writes a message other than a call. A process that has no room for it is killed.
    func send(_ kind: HostMessage, _ write: (ByteWriter) -> Void) {
        switch writer.send(kind.rawValue, write) {
        case .sent: break
        case .noRoom: kill("it did not read what the host has sent")
        case .tooLong(let size): kill("the host wanted to send it \(size) bytes at once")
        }
    }

    /// Writes a call, if there is room for it and for other messages after it.
    func sendCall(_ write: (ByteWriter) -> Void) -> MessageWriter.Outcome {
        writer.send(HostMessage.call.rawValue, lending: true, leaving: Self.spareRoom, write)
    }

    /// The bytes that calls leave in the ring for messages that cannot wait.
    private static let spareRoom = 1 << 20

    /// Reads messages on this thread until the process has ended and all of them are read.
    ///
    /// - Parameter handle: takes one message; throws when it is damaged, and the process is then killed.
    func read(_ handle: (UInt32, inout ByteReader) throws(DamagedBytes) -> Void) {
        while true {
            let isOver = hasEnded.load(ordering: .acquiring)
            // The end counts once all messages were read, also those that another thread reads now.
            if drain(handle), isOver { break }
            reader.wait()
        }
        drained.ring()
    }

    /// Reads messages on this thread, in place of the one that does otherwise, until `isOver`.
    ///
    /// - Parameter rounds: how often the thread looks before it gives up.
    /// - Returns: false if it has found no message.
    func read(
        rounds: UInt32, until isOver: () -> Bool,
        _ handle: (UInt32, inout ByteReader) throws(DamagedBytes) -> Void
    ) -> Bool {
        while true {
            if isOver() { return true }
            reader.takeOver()
            guard reader.spin(rounds), drain(handle) else { return isOver() }
        }
    }

    /// Reads the messages that are there, unless another thread does; false then.
    @discardableResult
    func drain(_ handle: (UInt32, inout ByteReader) throws(DamagedBytes) -> Void) -> Bool {
        guard isReading.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
            return false
        }
        defer { isReading.store(false, ordering: .releasing) }
        do throws(DamagedBytes) {
            while try reader.read(handle) {}
        } catch { kill("it sent what it must not send: \(error)") }
        return true
    }

    // MARK: - The end

    /// Kills the process and all that it has started, for this reason. The reason counts even if the process has ended
    /// by itself meanwhile.
    ///
    /// - Parameter isLate: whether the reason is that the process still runs. It does not count after the end.
    func kill(_ reason: String, isLate: Bool = false) {
        fate.withLock { fate in
            guard !isLate || !fate.isSeen else { return }
            if fate.reason == nil { fate.reason = reason }
            if let number, !fate.isReaped { Glibc.kill(-number, SIGKILL) }
        }
    }

    /// Why it was killed; nil if it was not.
    var killReason: String? { fate.withLock { $0.reason } }

    /// Kills what is left, and takes the status of the process, as of wait(2).
    @discardableResult
    func reap() -> Int32 {
        guard let number else { preconditionFailure("a process that a test plays does not end") }
        return fate.withLock { fate in
            var status: Int32 = 0
            Glibc.kill(-number, SIGKILL)
            // Safe because the status is a local.
            while unsafe waitpid(number, &status, 0) < 0, errno == EINTR {}
            fate.isReaped = true
            return status
        }
    }

    /// Waits for the end or for output, at most so many milliseconds; negative: for ever.
    ///
    /// - Returns: whether the process has ended.
    func wait(_ milliseconds: Int32, waking other: Int32, lines: (String) -> Void, _ rest: inout [UInt8])
        -> Bool
    {
        // A negative descriptor is not looked at.
        let heard = isSilent.load(ordering: .relaxed) ? -1 : output.number
        var places = [
            pollfd(fd: end.number, events: Int16(POLLIN), revents: 0),
            pollfd(fd: heard, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other, events: Int16(POLLIN), revents: 0),
        ]
        // Safe because the call gets the number of structures.
        _ = unsafe poll(&places, nfds_t(places.count), milliseconds)
        let isOver = places[0].revents != 0
        if isOver {
            fate.withLock { $0.isSeen = true }
            if let number { Glibc.kill(-number, SIGKILL) }
        }
        if places[1].revents != 0, !readOutput(toEnd: isOver, lines, &rest) {
            isSilent.store(true, ordering: .relaxed)
        }
        return isOver
    }

    /// Reads what the worker has written, and calls `lines` with each whole line.
    ///
    /// - Returns: false if nothing will follow.
    private func readOutput(toEnd: Bool, _ lines: (String) -> Void, _ rest: inout [UInt8]) -> Bool {
        // A child in another group may live on, and write without end.
        var left = 1 << 20
        repeat {
            var more = pollfd(fd: output.number, events: Int16(POLLIN), revents: 0)
            // Safe because the call gets the number of structures, one.
            guard unsafe poll(&more, 1, 0) > 0 else { return true }
            var bytes = [UInt8](repeating: 0, count: 4096)
            // Safe because the call gets the room that there is.
            let count = unsafe Glibc.read(output.number, &bytes, bytes.count)
            guard count > 0 else { return false }
            rest += bytes[..<count]
            left -= count
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
            if rest.count > 1 << 14 {
                lines(String(decoding: rest, as: UTF8.self))
                rest = []
            }
        } while toEnd && left > 0
        return true
    }

    /// Takes the status of a process that has ended, and waits until all its messages are read.
    ///
    /// - Returns: how it ended.
    func settle() -> WorkerEnd {
        let status = reap()
        let rings = drained.rings
        hasEnded.store(true, ordering: .releasing)
        // The thread may be about to sleep.
        while drained.rings == rings {
            reader.wake()
            drained.wait(beyond: rings, atMost: .milliseconds(10))
        }
        writer.close()
        return killReason.map(WorkerEnd.killed) ?? WorkerEnd(status)
    }
}
