import Records

/// The input and output of one client of a control socket, without its socket.
struct ServedClient {
    /// If a client has more unread bytes than this, it gets no further states. When it has caught up, it gets
    /// the newest.
    static let mostAhead = 1 << 16
    /// If a client has more unread bytes than this and requests another answer, the server disconnects it.
    static let mostUnread = 1 << 20

    // The received bytes.
    private var input: [UInt8] = []
    // The number of handled bytes of the input, and the offset before which there is no further line end.
    private var (handled, searched) = (0, 0)
    private var output: [UInt8] = []
    // The number of bytes of the output that the socket has sent.
    private var sent = 0
    /// True while an answer is pending. Until then, no further request is handled.
    var isWaiting = false
    /// True if the client gets the outcomes of swaps.
    var watchesSwaps = false
    /// The version of the protocol that the client speaks.
    var version = ControlServer.version
    /// What the client watches in version 2; nil for nothing.
    var activity: ServedActivity?
    /// True if the client watches all loops, also those of a later manifest.
    var watchesAll = false
    /// True if the client has closed its side of the connection.
    var hasEnded = false
    /// True if the server ends the connection as soon as the client has read its output.
    private(set) var isClosing = false
    // By loop: the number of the last state that the client got or skipped.
    private var watched: [Int: UInt64?] = [:]
    // By loop: the keys of the only instances that the client watches.
    private var keys: [Int: Set<Value>] = [:]
    // The states to write when the client has caught up.
    private var newest: [Int: ControlState] = [:]

    /// Whether the server reads further input of the client.
    var reads: Bool { !isWaiting && !hasEnded && !isClosing }

    /// The bytes to send.
    var unread: ArraySlice<UInt8> { output[sent...] }

    /// True if neither side has anything more to send.
    var isDone: Bool {
        unread.isEmpty && !isWaiting && (isClosing || hasEnded && watched.isEmpty && activity == nil)
    }

    /// True if the client has so much unread output that it gets nothing that it has not requested.
    var isBehind: Bool { unread.count > Self.mostAhead }

    /// The loops that the client watches.
    var loops: [Int] { watched.keys.sorted() }

    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        input.removeFirst(handled)
        (handled, searched) = (0, searched - handled)
        input += bytes
    }

    /// The next request; nil if no whole line has arrived. A last line without line end is ignored.
    ///
    /// - Throws: if the line is not a request, or too long. After a line that is too long, the connection
    ///   ends.
    mutating func nextRequest() throws(ControlFault) -> ControlRequest? {
        while !isWaiting, !isClosing {
            guard let end = input[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
                searched = input.count
                if searched - handled > ControlRequest.maximumLength { throw tooLong() }
                return nil
            }
            let line = input[handled..<end]
            if line.count > ControlRequest.maximumLength { throw tooLong() }
            (handled, searched) = (end + 1, end + 1)
            if line.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) { continue }
            return try ControlRequest(line: line, version: version)
        }
        return nil
    }

    private mutating func tooLong() -> ControlFault {
        (input, handled, searched, isClosing) = ([], 0, 0, true)
        return ControlFault(
            .tooLong, "a request can have at most \(ControlRequest.maximumLength) bytes",
            help: ["the host ends this connection"])
    }

    /// Writes a line that the client has requested; false if it has not read its earlier answers.
    mutating func answer(_ line: String) -> Bool {
        guard unread.count <= Self.mostUnread else { return false }
        write(line)
        return true
    }

    /// Writes a line that answers no request.
    mutating func push(_ line: String) { write(line) }

    private mutating func write(_ line: String) {
        output += line.utf8
        output.append(UInt8(ascii: "\n"))
    }

    /// Starts to watch a loop; false if the client watches it already.
    mutating func watch(_ loop: Int) -> Bool {
        guard watched[loop] == nil else { return false }
        watched[loop] = .some(nil)
        return true
    }

    /// Limits the states of a loop to those of named instances. It has no effect if the client watches all.
    mutating func watchOnly(_ key: Value, of loop: Int) {
        guard watched[loop] == nil || keys[loop] != nil else { return }
        keys[loop, default: []].insert(key)
    }

    /// Writes the states of all instances of a loop again.
    mutating func watchAllInstances(of loop: Int) { keys[loop] = nil }

    /// Writes a state, if the client watches the loop and has no later state. For a client with much unread
    /// output, it keeps only the newest state until the client has caught up.
    mutating func write(_ state: ControlState) {
        guard let last = watched[state.loop], last.map({ $0 < state.step }) ?? true else { return }
        if let keys = keys[state.loop], let key = state.key, !keys.contains(key) { return }
        watched[state.loop] = state.step
        if isBehind {
            newest[state.loop] = state
        } else {
            write(state.line)
        }
    }

    /// Removes the first bytes of `unread`, which the socket has sent.
    mutating func removeSent(_ count: Int) {
        sent += count
        if sent == output.count {
            (output, sent) = ([], 0)
        } else if sent > Self.mostUnread {
            (output, sent) = (Array(unread), 0)
        }
        if !newest.isEmpty, !isBehind { catchUp() }
    }

    private mutating func catchUp() {
        for (_, state) in newest.sorted(by: { $0.key < $1.key }) { write(state.line) }
        newest = [:]
    }

    /// The loop in the app of a changed manifest that corresponds to a watched loop.
    enum Counterpart {
        case loop(Int)
        /// The new app has no loop of that name. The line tells the client.
        case none(String)
    }

    /// Changes to the app of a changed manifest, or to one that was started again. A watching client gets
    /// `line`, and watches the loops of the same names: from the state after its last one, or all states after
    /// a start.
    mutating func replaceApp(
        _ line: String, loops count: Int, isRestart: Bool, _ counterpart: (Int) -> Counterpart
    ) {
        guard !watched.isEmpty || watchesSwaps || activity != nil else { return }
        catchUp()
        write(line)
        var (next, nextKeys): ([Int: UInt64?], [Int: Set<Value>]) = ([:], [:])
        for (loop, last) in watched.sorted(by: { $0.key < $1.key }) {
            switch counterpart(loop) {
            case .loop(let index):
                next[index] = .some(isRestart ? nil : last)
                nextKeys[index] = keys[loop]
            case .none(let line): write(line)
            }
        }
        if watchesAll { for loop in 0..<count where next[loop] == nil { next[loop] = .some(nil) } }
        (watched, keys) = (next, nextKeys)
    }

    /// Writes the outcome of the app, if the client watches it, and ends the connection.
    mutating func end(_ line: String) {
        if !watched.isEmpty || activity != nil {
            catchUp()
            write(line)
        }
        (isWaiting, isClosing) = (false, true)
    }

    /// Writes one last line and ends the connection.
    mutating func refuse(_ line: String) {
        write(line)
        isClosing = true
    }
}
