import CLinux
import Glibc
import HostLoop

/// Watches the descriptors of one version of a plugin, and reports on a thread of its own which are ready.
///
/// The thread lives while there is a descriptor to watch.
final class PluginPoller: Sendable {
    private struct State {
        /// The epoll descriptor, and the eventfd that wakes the thread for its end; -1 without a thread.
        var epoll: Int32 = -1
        var wake: Int32 = -1
        /// The watched descriptors, with the polls that watch them. A paused poll has a place, too.
        var polls: [Int32: UInt64] = [:]
        var paused: Set<UInt64> = []
    }

    private let state = Lock(State())
    private let threadName: String

    /// - Parameter plugin: its name, which tools show with the thread.
    init(of plugin: String) { threadName = "polls of \(plugin)" }

    /// Begins to watch a descriptor: from now on `HostRegistry.isReady` is called for the poll.
    ///
    /// - Returns: 0, or an `errno`: `EBADF`, `EPERM` for a file, `EEXIST` when it is watched already.
    func add(_ poll: UInt64, _ descriptor: Int32, _ events: UInt64) -> Int32 {
        state.withLock { state in
            // The kernel does not know a paused poll.
            if let other = state.polls[descriptor], state.paused.contains(other) { return EEXIST }
            if state.epoll < 0, let error = begin(&state) { return error }
            // A poll whose descriptor was closed before its end has left its place here.
            let error =
                events == 0
                ? Self.fault(of: descriptor) : watch(poll, descriptor, events, EPOLL_CTL_ADD, state)
            guard error == 0 else {
                if state.polls.isEmpty { eventfd_write(state.wake, 1) }
                return error
            }
            state.polls[descriptor] = poll
            if events == 0 { state.paused.insert(poll) }
            return 0
        }
    }

    /// Watches for other events; for none with 0.
    ///
    /// - Returns: 0, or an `errno`; the poll is paused then.
    func change(_ poll: UInt64, _ descriptor: Int32, _ events: UInt64) -> Int32 {
        state.withLock { state in
            guard state.polls[descriptor] == poll else { return 0 }
            let wasPaused = state.paused.contains(poll)
            guard events != 0 else {
                // The kernel would report a hang-up even without other events.
                if state.paused.insert(poll).inserted {
                    _ = epoll_ctl(state.epoll, EPOLL_CTL_DEL, descriptor, nil)
                }
                return 0
            }
            let error = watch(poll, descriptor, events, wasPaused ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, state)
            if error == 0 { state.paused.remove(poll) }
            return error
        }
    }

    /// The `errno` of a descriptor that cannot be polled; 0 for any other.
    private static func fault(of descriptor: Int32) -> Int32 {
        var status = stat()
        // Safe because the status is a local.
        guard unsafe fstat(descriptor, &status) == 0 else { return errno }
        let kind = status.st_mode & S_IFMT
        return kind == S_IFREG || kind == S_IFDIR ? EPERM : 0
    }

    /// Ends the watch. A report may still be on its way.
    func remove(_ poll: UInt64, _ descriptor: Int32) {
        state.withLock { state in
            // Another poll has the descriptor's number by now if the plugin closed it too early.
            guard state.polls[descriptor] == poll else { return }
            state.polls[descriptor] = nil
            if state.paused.remove(poll) == nil {
                _ = epoll_ctl(state.epoll, EPOLL_CTL_DEL, descriptor, nil)
            }
            if state.polls.isEmpty { eventfd_write(state.wake, 1) }
        }
    }

    private func watch(
        _ poll: UInt64, _ descriptor: Int32, _ events: UInt64, _ operation: Int32, _ state: State
    ) -> Int32 {
        // Safe because the kernel copies the event.
        var event = unsafe epoll_event(
            events: PollEvents.kernel(events), data: epoll_data_t(u64: poll))
        return unsafe epoll_ctl(state.epoll, operation, descriptor, &event) == 0 ? 0 : errno
    }

    // MARK: The thread

    private func begin(_ state: inout State) -> Int32? {
        let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { return errno }
        let wake = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: 0))
        let error =
            wake < 0 || (unsafe epoll_ctl(epoll, EPOLL_CTL_ADD, wake, &event)) != 0
            ? errno : HostThread.start({ [self] in run(epoll, wake) }) ? 0 : EAGAIN
        guard error == 0 else {
            close(epoll)
            if wake >= 0 { close(wake) }
            return error
        }
        (state.epoll, state.wake) = (epoll, wake)
        return nil
    }

    private func run(_ epoll: Int32, _ wake: Int32) {
        // Safe because the text is borrowed for the call.
        unsafe linux_name_thread(threadName)
        var mask = sigset_t()
        // Safe because the mask is a local, which the calls read and write.
        unsafe pthread_sigmask(SIG_SETMASK, nil, &mask)
        let most = 64
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: most) { events in
            while !isOver(epoll, wake) {
                let count = unsafe epoll_wait(epoll, events.baseAddress, Int32(most), -1)
                for index in 0..<max(0, Int(count)) {
                    // Safe because the kernel has written so many events.
                    let event = unsafe events[index]
                    let poll = unsafe event.data.u64
                    guard poll != 0 else {
                        var times: eventfd_t = 0
                        unsafe eventfd_read(wake, &times)
                        continue
                    }
                    HostRegistry.shared.isReady(poll, PollEvents.plugin(unsafe event.events))
                    // A function may have left another one, and the guard needs the signals of crashes.
                    unsafe pthread_sigmask(SIG_SETMASK, &mask, nil)
                }
            }
        }
    }

    /// Ends the thread when nothing is watched.
    private func isOver(_ epoll: Int32, _ wake: Int32) -> Bool {
        state.withLock { state in
            guard state.polls.isEmpty else { return false }
            close(epoll)
            close(wake)
            (state.epoll, state.wake) = (-1, -1)
            return true
        }
    }
}

/// The events of a poll, as the kernel and as plugins name them.
enum PollEvents {
    static let read: UInt64 = 1
    static let write: UInt64 = 2
    static let hangUp: UInt64 = 4

    static func kernel(_ events: UInt64) -> UInt32 {
        (events & read != 0 ? EPOLLIN.rawValue : 0) | (events & write != 0 ? EPOLLOUT.rawValue : 0)
    }

    static func plugin(_ events: UInt32) -> UInt64 {
        (events & EPOLLIN.rawValue != 0 ? read : 0) | (events & EPOLLOUT.rawValue != 0 ? write : 0)
            | (events & (EPOLLHUP.rawValue | EPOLLERR.rawValue) != 0 ? hangUp : 0)
    }
}
