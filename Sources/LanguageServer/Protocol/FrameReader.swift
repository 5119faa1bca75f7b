/// Splits what a client writes into messages: `Content-Length: 123`, an empty line, and so many bytes.
package struct FrameReader {
    /// Why the bytes are not a message. Where the next one begins is then unknown.
    package struct Fault: Error, Equatable {
        /// Lower case, no full stop.
        package let message: String
    }

    /// The greatest length of a message: a manifest has at most 4 MiB, and JSON has escapes.
    static let greatestLength = 64 << 20
    /// The greatest length of what stands before a message.
    static let greatestHead = 4096

    private var bytes: [UInt8] = []
    // Where the next message begins.
    private var start = 0

    package init() {}

    package mutating func append(_ more: some Collection<UInt8>) {
        bytes.removeFirst(start)
        start = 0
        bytes += more
    }

    /// The next message; nil until all of it is there.
    package mutating func next() throws(Fault) -> [UInt8]? {
        let head = bytes[start...].prefix(Self.greatestHead)
        guard let end = Self.end(of: head) else {
            guard head.count < Self.greatestHead else {
                throw Fault(message: "a message has no empty line after its headers")
            }
            return nil
        }
        let length = try length(of: bytes[start..<end])
        guard bytes.count - end - 4 >= length else { return nil }
        start = end + 4 + length
        return Array(bytes[start - length..<start])
    }

    /// Where the empty line begins.
    private static func end(of head: ArraySlice<UInt8>) -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        var index = head.startIndex
        while index + mark.count <= head.endIndex {
            if head[index..<index + mark.count].elementsEqual(mark) { return index }
            index += 1
        }
        return nil
    }

    private func length(of head: ArraySlice<UInt8>) throws(Fault) -> Int {
        var length: Int?
        for line in String(decoding: head, as: UTF8.self).split(separator: "\r\n") {
            guard let colon = line.firstIndex(of: ":") else {
                throw Fault(message: "a header of a message has no colon: `\(line.prefix(80))`")
            }
            guard line[..<colon].lowercased() == "content-length" else { continue }
            let text = line[line.index(after: colon)...].drop { $0 == " " }
            guard let number = Int(text), number >= 0, text.allSatisfy(\.isNumber) else {
                throw Fault(message: "`\(text.prefix(80))` is not a length of a message")
            }
            guard number <= Self.greatestLength else {
                throw Fault(message: "a message is longer than \(Self.greatestLength >> 20) MiB")
            }
            length = number
        }
        guard let length else { throw Fault(message: "a message has no `Content-Length`") }
        return length
    }
}
