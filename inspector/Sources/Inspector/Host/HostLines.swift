import NIOCore

/// Splits what the host sends into lines, without their ends.
struct HostLines: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// A line is longer than the limit.
    struct TooLong: Error {}

    private let most: Int
    /// How many bytes at the beginning of the buffer have no line end.
    private var searched = 0

    /// - Parameter most: the longest line in bytes.
    init(most: Int) { self.most = most }

    mutating func decode(
        context: ChannelHandlerContext, buffer: inout ByteBuffer
    ) throws -> DecodingState {
        let view = buffer.readableBytesView
        guard let end = view.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) else {
            searched = view.count
            guard searched <= most else { throw TooLong() }
            return .needMoreData
        }
        searched = 0
        guard let line = buffer.readSlice(length: end - view.startIndex) else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(NIOAny(line))
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        while try decode(context: context, buffer: &buffer) == .continue {}
        // A line without its end does not count.
        buffer.clear()
        return .needMoreData
    }
}
