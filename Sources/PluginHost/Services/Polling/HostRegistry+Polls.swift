import CPluginABI
import HostLoop
import Glibc

/// The polls of running calls.
extension HostRegistry {
    /// Starts a poll of a running call.
    ///
    /// - Parameter willBegin: called with the poll's number before the descriptor is watched.
    /// - Returns: `SPIN_OK`, or the status for the plugin.
    func start(_ request: PollTable.Request, events: UInt64, willBegin: (UInt64) -> Void) -> Int32 {
        let added = calls.withLock { state -> Result<(UInt64, CallTable.Call), CallTable.Status> in
            state.calls.find(request.call).map { call in
                let poll = state.polls.add(request)
                call.polls.insert(poll)
                return (poll, call)
            }
        }
        switch added {
        case .failure(let status):
            status.broke(.requestAfterEnd, request.call)
            return status.code
        case .success((let poll, let call)):
            willBegin(poll)
            // Under the lock, so that the end of the call finds the descriptor watched or not at all.
            let error = calls.withLock { state -> Int32 in
                // The end of the call has released the context meanwhile.
                guard state.polls.find(poll) != nil else { return 0 }
                let error = request.image.poller.add(poll, request.descriptor, events)
                if error != 0 {
                    state.polls.remove(poll)
                    call.polls.remove(poll)
                }
                return error
            }
            guard error != 0 else { return SPIN_OK }
            guard [EBADF, EPERM, EEXIST, EINVAL].contains(error) else { return SPIN_NO_MEMORY }
            call.broke(.badPoll, request.call)
            return SPIN_BAD_VALUE
        }
    }

    /// Watches for other events.
    func change(_ poll: UInt64, to events: UInt64) -> Int32 {
        calls.withLock { state in
            guard let request = state.polls.find(poll) else { return SPIN_STOPPED }
            return request.image.poller.change(poll, request.descriptor, events) == 0
                ? SPIN_OK : SPIN_NO_MEMORY
        }
    }

    /// Ends a poll. Its context is released now, or when its running function has returned.
    func end(poll: UInt64) -> Int32 {
        let ended = calls.withLock { state in
            let ended = Self.end(poll, &state)
            if let ended { state.calls.forget(poll: poll, of: ended.request.call) }
            return ended
        }
        guard let ended else { return SPIN_STOPPED }
        release(ended)
        ended.request.image.work.end()
        return SPIN_OK
    }

    /// Calls the plugin's function with events, on the thread of its poller.
    func isReady(_ poll: UInt64, _ events: UInt64) {
        let begun = calls.withLock { state in
            let begun = state.polls.begin(poll)
            // Under the lock, before the poll's call can end: a caller that waits for the plugin's work must
            // see it.
            begun?.image.work.begin()
            return begun
        }
        guard let request = begun else { return }
        defer { request.image.work.end() }
        if let failure = request.ready.call(
            with: events, for: request.image, as: .poll, in: request.call)
        {
            fail(request.call, failure)
        }
        if let ended = calls.withLock({ $0.polls.reported(poll) }) { release(ended) }
    }

    /// Ends a poll: from now on its descriptor is not watched, and may be closed. Nil when it has ended.
    ///
    /// The caller must release it, and then end the work that begins here: a caller that waits for the plugin's
    /// work must see the release.
    static func end(_ poll: UInt64, _ state: inout Calls) -> PollTable.Ended? {
        guard let ended = state.polls.end(poll) else { return nil }
        ended.request.image.poller.remove(poll, ended.request.descriptor)
        ended.request.image.work.begin()
        return ended
    }

    func release(_ ended: PollTable.Ended) {
        if !ended.isReporting { release(ended.request) }
    }

    private func release(_ request: PollTable.Request) {
        if let failure = request.release?.call(for: request.image, as: .pollRelease) {
            request.image.log(failure, call: request.call)
        }
    }
}
