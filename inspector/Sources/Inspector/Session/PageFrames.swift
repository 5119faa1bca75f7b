import NIOCore
import NIOWebSocket

/// Puts the frames of a page together to messages.
struct PageFrames {
    /// What a frame means.
    enum Meaning: Equatable {
        /// A text, whole.
        case text(ByteBuffer)
        case ping(ByteBuffer)
        /// The page closes, with this code.
        case close(UInt16?)
        /// Nothing yet.
        case nothing
        /// The server closes with this code, because the page breaks the rules.
        case fault(UInt16)
    }

    private let most: Int
    private var message: ByteBuffer?

    /// - Parameter most: the longest message in bytes.
    init(most: Int) { self.most = most }

    mutating func take(_ frame: WebSocketFrame) -> Meaning {
        // A page masks all its frames (RFC 6455, 5.1).
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return .fault(1002) }
        var data = frame.unmaskedData
        switch frame.opcode {
        case .text:
            guard message == nil else { return .fault(1002) }
            message = data
            return finish(frame.fin)
        case .continuation:
            guard message != nil else { return .fault(1002) }
            message!.writeBuffer(&data)
            return finish(frame.fin)
        case .binary: return .fault(1003)
        case .ping: return .ping(data)
        case .pong: return .nothing
        case .connectionClose:
            return data.readableBytes == 1 ? .fault(1002) : .close(data.readInteger(as: UInt16.self))
        default: return .fault(1002)
        }
    }

    private mutating func finish(_ isLast: Bool) -> Meaning {
        guard let text = message, text.readableBytes <= most else { return .fault(1009) }
        guard isLast else { return .nothing }
        message = nil
        guard String(validating: text.readableBytesView, as: UTF8.self) != nil else { return .fault(1007) }
        return .text(text)
    }
}
