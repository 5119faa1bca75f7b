import CRing
import HostLoop
package import PluginHost
import Records

/// A host that is played from bytes, for tests: a worker must refuse or do what such a host asks.
package final class PlayedHost {
    private let memory: SharedMemory
    private let server: WorkerServer
    private let writer: MessageWriter
    private let answers: MessageReader

    /// A worker with plugin 1, whose functions call nothing back.
    ///
    /// - Parameters:
    ///   - library: a library of the system.
    ///   - declares: its functions.
    package init(_ library: String, declares: String, services: HostServices) throws(PluginError) {
        memory = try SharedMemory(mapping: SharedMemory.makeFile())
        (server, writer) = (WorkerServer(memory), MessageWriter(memory, .toWorker))
        answers = MessageReader(memory, .toHost)
        server.add(
            try ServedPlugin(try .system(library, services: services), declares: declares), 1)
    }

    /// The kinds of messages that have the worker open a library, or call a function with any address.
    package static let trusted: Set<UInt32> = [HostMessage.load.rawValue, HostMessage.close.rawValue]

    /// Sends a message, has the worker do what it asks for unless its kind is trusted, and reads what the worker says.
    ///
    /// - Returns: the reason why the worker would end; nil if it would not.
    package func send(_ kind: UInt32, _ body: [UInt8]) -> String? {
        // Safe because the bytes are copied.
        unsafe body.withUnsafeBytes { bytes in _ = writer.send(kind) { unsafe $0.put(raw: bytes) } }
        do throws(DamagedBytes) {
            let job = try server.read()
            if !Self.trusted.contains(kind) { job?.run() }
            while try answers.read({ _, message throws(DamagedBytes) in
                _ = unsafe try message.raw(message.rest)
            }) {}
            return nil
        } catch { return error.description }
    }
}
