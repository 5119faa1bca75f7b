import NIOCore
import NIOHTTP1

/// Writes an answer and closes the connection.
enum ReplyWriter {
    /// - Parameter time: how long the client may take to read the answer.
    static func write(_ reply: Reply, to channel: any Channel, within time: TimeAmount) {
        let deadline = channel.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
        channel.closeFuture.whenComplete { _ in deadline.cancel() }
        channel.write(HTTPServerResponsePart.head(reply.head), promise: nil)
        channel.write(
            HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(bytes: reply.content))), promise: nil)
        channel.writeAndFlush(HTTPServerResponsePart.end(nil)).whenComplete { result in
            guard case .success = result else { return channel.close(promise: nil) }
            // If the client still sends, closing both sides at once would take the answer away from it.
            channel.close(mode: .output).whenFailure { _ in channel.close(promise: nil) }
        }
    }
}
