internal import CLinux
import Glibc

/// The result of applying a policy to this process.
public struct AppliedSandbox: Sendable {
    /// What the kernel cannot keep, and `isBestEffort` allows to skip.
    public let skipped: [String]
    /// The descriptor from which an `AccessObserver` gets the calls; nil if the policy needs none. The caller
    /// owns it.
    ///
    /// Until the host has it, an observed call of this process waits. With it, code of this process could
    /// answer its own calls, so it must be handed over and closed before the plugin is loaded.
    public let listener: Int32?

    /// Sends the listener over a connected local socket and closes it. Without a listener it does nothing.
    ///
    /// - Throws: `failed`. The listener is then closed, too, and the observed calls fail with ENOSYS.
    public func handOver(through socket: Int32) throws(SandboxError) {
        guard let listener else { return }
        defer { close(listener) }
        try DescriptorPassing.send(listener, over: socket)
    }
}

/// Passes descriptors between processes.
public enum DescriptorPassing {
    /// Sends a descriptor over a connected local socket; the caller keeps its own.
    ///
    /// - Throws: `failed`.
    public static func send(_ descriptor: Int32, over socket: Int32) throws(SandboxError) {
        try SandboxError.check("sendmsg", linux_send_descriptor(socket, descriptor))
    }

    /// Waits for a descriptor that `send` sends. The caller owns it.
    ///
    /// - Throws: `failed`, with EPIPE when the other side has closed the socket.
    public static func receive(over socket: Int32) throws(SandboxError) -> Int32 {
        let descriptor = linux_receive_descriptor(socket)
        guard descriptor >= 0 else { throw .failed(call: "recvmsg", error: errno) }
        return descriptor
    }
}
