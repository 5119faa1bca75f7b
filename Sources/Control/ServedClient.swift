/// One client of a control socket, without its socket: what it has said and what it is to be told.
struct ServedClient {
    /// A client with more than this to read is told no further states, only the newest when it has caught up.
    static let mostAhead = 1 << 16
    /// A client with more than this to read, bytes, that wants another answer is cut off.
    static let mostUnread = 1 << 20

    // What came.
    private var input: [UInt8] = []
    // How much of it was taken, and up to where there is no further line end.
    private var (taken, searched) = (0, 0)
    private var output: [UInt8] = []
    // How much of it the socket has taken.
    private var sent = 0
    /// An answer comes later; until then nothing further is taken.
    var isWaiting = false
    /// The client is told what becomes of swaps.
    var hearsSwaps = false
    /// The client watches whatever loops there are.
    var watchesAll = false
    /// The client will say nothing more.
    var hasEnded = false
    /// Nothing is taken any more: the connection ends when the client has read what it is told.
    private(set) var isClosing = false
    // By loop: the number of the last state that it was told, or would have been.
    private var watched: [Int: UInt64?] = [:]
    // States that wait until the client has caught up.
    private var newest: [Int: ControlState] = [:]

    /// Whether there is a place for more of what the client says.
    var reads: Bool { !isWaiting && !hasEnded && !isClosing }

    /// What the socket is to take.
    var unread: ArraySlice<UInt8> { output[sent...] }

    /// True when nothing more is to come from either side.
    var isDone: Bool {
        unread.isEmpty && !isWaiting && (isClosing || hasEnded && watched.isEmpty)
    }

    /// The loops that the client watches.
    var loops: [Int] { watched.keys.sorted() }

    mutating func receive(_ bytes: ArraySlice<UInt8>) {
        input.removeFirst(taken)
        (taken, searched) = (0, searched - taken)
        input += bytes
    }

    /// The next request; nil when there is none yet. What remains when the client has ended is none.
    ///
    /// - Throws: when the line is none, or too long, after which the client is closing.
    mutating func nextRequest() throws(ControlFault) -> ControlRequest? {
        while !isWaiting, !isClosing {
            guard let end = input[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
                searched = input.count
                if searched - taken > ControlRequest.maximumLength { throw tooLong() }
                return nil
            }
            let line = input[taken..<end]
            if line.count > ControlRequest.maximumLength { throw tooLong() }
            (taken, searched) = (end + 1, end + 1)
            if line.allSatisfy({ $0 == 32 || $0 == 9 || $0 == 13 }) { continue }
            return try ControlRequest(line: line)
        }
        return nil
    }

    private mutating func tooLong() -> ControlFault {
        (input, taken, searched, isClosing) = ([], 0, 0, true)
        return ControlFault(
            .tooLong, "a request has at most \(ControlRequest.maximumLength) bytes",
            help: ["this connection ends"])
    }

    /// Tells the client something that it has asked for; false when it reads too little of that.
    mutating func answer(_ line: String) -> Bool {
        guard unread.count <= Self.mostUnread else { return false }
        tell(line)
        return true
    }

    private mutating func tell(_ line: String) {
        output += line.utf8
        output.append(UInt8(ascii: "\n"))
    }

    /// Watches a loop from now on; false when it did already.
    mutating func watch(_ loop: Int) -> Bool {
        guard watched[loop] == nil else { return false }
        watched[loop] = .some(nil)
        return true
    }

    /// Tells the client of a state, if it watches the loop and does not know of a later one. If it has much to read, then
    /// later, unless a newer one comes before.
    mutating func tell(_ state: ControlState) {
        guard let last = watched[state.loop], last.map({ $0 < state.step }) ?? true else { return }
        watched[state.loop] = state.step
        if unread.count > Self.mostAhead {
            newest[state.loop] = state
        } else {
            tell(state.line)
        }
    }

    /// The socket has taken some of `unread`.
    mutating func took(_ count: Int) {
        sent += count
        if sent == output.count {
            (output, sent) = ([], 0)
        } else if sent > Self.mostUnread {
            (output, sent) = (Array(unread), 0)
        }
        if !newest.isEmpty, unread.count <= Self.mostAhead { catchUp() }
    }

    private mutating func catchUp() {
        for (_, state) in newest.sorted(by: { $0.key < $1.key }) { tell(state.line) }
        newest = [:]
    }

    /// What a watched loop is in the app of a changed manifest.
    enum Place {
        case loop(Int)
        /// There is none of its name; the line that says so.
        case none(String)
    }

    /// Another app goes on where the one is that the client knows: who watches is told in a line, and watches the loops of the same names,
    /// from the state after the last one that it knows.
    mutating func goOn(_ line: String, loops count: Int, _ place: (Int) -> Place) {
        guard !watched.isEmpty || hearsSwaps else { return }
        catchUp()
        tell(line)
        var next: [Int: UInt64?] = [:]
        for (loop, last) in watched.sorted(by: { $0.key < $1.key }) {
            switch place(loop) {
            case .loop(let index): next[index] = .some(last)
            case .none(let line): tell(line)
            }
        }
        if watchesAll { for loop in 0..<count where next[loop] == nil { next[loop] = .some(nil) } }
        watched = next
    }

    /// Tells a client that watches how the app ended; the connection ends.
    mutating func end(_ line: String) {
        if !watched.isEmpty {
            catchUp()
            tell(line)
        }
        (isWaiting, isClosing) = (false, true)
    }

    /// Ends the connection after one last line.
    mutating func refuse(_ line: String) {
        tell(line)
        isClosing = true
    }
}
