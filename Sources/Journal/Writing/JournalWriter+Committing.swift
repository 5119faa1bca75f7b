import Dispatch
import HostLoop
import Records

extension JournalWriter {
    /// What is committed together.
    private struct Batch {
        let bytes: ByteWriter
        let count: Int
        /// The number of the last append.
        let append: UInt64
        let encoders: [LoopEncoder?]
        /// The numbers of encoders that no later batch needs.
        let retired: [Int]
    }

    func commitAll() {
        while true {
            awaitBatch()
            // Entries that come during a commit wait for the next one, except at the end.
            let isClosing = state.withLock(\.isClosing)
            performCommands()
            var isFirst = true
            commit {
                defer { isFirst = false }
                return isFirst || isClosing
            }
            if isClosing { break }
            rest()
        }
        isOver.signal()
    }

    /// Waits for an entry, and then for the interval. A signal that came too late for an earlier batch ends
    /// neither wait, so the state is asked again after each one.
    private func awaitBatch() {
        while state.withLock({ $0.isIdle }) { bell.wait() }
        let end = DispatchTime.now() + timing.interval.dispatch
        while state.withLock({ !$0.isHurried && !$0.isClosing && $0.commands.isEmpty }),
            bell.wait(timeout: end) == .success
        {}
    }

    /// Notes that the thread waits, unless there is something to do.
    private func rest() {
        state.withLock { state in
            state.isIdle = state.bytes.count == 0 && state.commands.isEmpty && !state.isClosing
            if state.isIdle { state.isHurried = false }
        }
    }

    private func performCommands() {
        let commands = state.withLock { state in
            defer { state.commands = [] }
            return state.commands
        }
        for command in commands {
            let failure = last.withLock { _ -> Failure? in
                do throws(JournalError) { try command(store) } catch { return fail(error) }
                return nil
            }
            if let failure { report(failure) }
        }
    }

    // MARK: - Any thread that commits

    /// Commits what waits, again and again while `condition` holds and something waits.
    ///
    /// It reports each commit after it has released the lock, as a report may stop the app.
    func commit(while condition: () -> Bool) {
        while true {
            let outcome = last.withLock { last -> Outcome? in
                condition() ? takeBatch().map { commit($0, after: &last) } : nil
            }
            switch outcome {
            case nil: return
            case .committed(let chunk, let waiters):
                for done in waiters { done(true) }
                onCommit(chunk, self)
            case .failed(let failure): failure.map(report)
            }
        }
    }

    private func takeBatch() -> Batch? {
        let (batch, blocked) = state.withLock { state -> (Batch?, Int) in
            state.isHurried = false
            guard state.bytes.count > 0, state.status.failure == nil else { return (nil, 0) }
            defer { (state.count, state.blocked, state.retired) = (0, 0, []) }
            let batch = Batch(
                bytes: state.bytes, count: state.count, append: state.last, encoders: state.encoders,
                retired: state.retired)
            swap(&state.bytes, &state.spare)
            state.block = Block(loop: 0, size: 0)
            return (batch, state.blocked)
        }
        for _ in 0..<blocked { roomBell.signal() }
        return batch
    }

    private enum Outcome {
        case committed(Chunk, waiters: [@Sendable (Bool) -> Void])
        case failed(Failure?)
    }

    private func commit(_ batch: Batch, after last: inout Chunk?) -> Outcome {
        encode(batch)
        let chunk = Chunk(
            after: last, count: batch.count, time: timing.wallTime(), bytes: encoded.bytes)
        encoded.removeAll()
        let began = ContinuousClock.now
        do throws(JournalError) { try store.append(chunk) } catch {
            return .failed(fail(error))
        }
        let took = ContinuousClock.now - began
        last = chunk
        return state.withLock { state in
            state.durable = batch.append
            state.status.committed = chunk.next - 1
            state.status.commits += 1
            state.status.bytes += chunk.bytes.count
            state.status.commitTimes.add(took)
            let isDurable = state.waiters.partition { $0.append <= batch.append }
            defer { state.waiters.removeSubrange(isDurable...) }
            return .committed(chunk, waiters: state.waiters[isDurable...].map(\.done))
        }
    }

    /// Writes the entries of a batch.
    private func encode(_ batch: Batch) {
        // Safe because the bytes are whole blocks, as `add` has written them.
        unsafe batch.bytes.withBytes { bytes in
            var place = 0
            while place < bytes.count {
                let block = unsafe bytes.load(fromByteOffset: place, as: Block.self)
                place += MemoryLayout<Block>.size
                let content = unsafe UnsafeRawBufferPointer(rebasing: bytes[place..<place + block.size])
                place += (block.size + 7) & ~7
                if block.loop == 0 {
                    unsafe encoded.put(raw: content)
                } else {
                    unsafe batch.encoders[block.loop - 1]!.encode(content)
                }
            }
        }
        batch.bytes.removeAll()
        guard !batch.retired.isEmpty else { return }
        state.withLock { state in for loop in batch.retired { state.encoders[loop - 1] = nil } }
    }

    /// What is to be told when the journal fails.
    private struct Failure {
        let error: JournalError
        let waiters: [@Sendable (Bool) -> Void]
    }

    /// Ends the journal, before another thread can commit; nil: it has failed before.
    private func fail(_ error: JournalError) -> Failure? {
        state.withLock { state in
            guard state.status.failure == nil else { return nil }
            state.status.failure = error
            // The thread would wait for them again and again.
            state.bytes.removeAll()
            (state.block, state.count) = (Block(loop: 0, size: 0), 0)
            for _ in 0..<state.blocked { roomBell.signal() }
            defer { (state.blocked, state.waiters) = (0, []) }
            return Failure(error: error, waiters: state.waiters.map(\.done))
        }
    }

    private func report(_ failure: Failure) {
        onFailure(failure.error)
        for done in failure.waiters { done(false) }
    }
}

extension Duration {
    /// The time for Dispatch.
    fileprivate var dispatch: DispatchTimeInterval {
        let (seconds, attoseconds) = components
        return .nanoseconds(Int(clamping: seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
