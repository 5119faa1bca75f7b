import HostLoop
import Isolation
import PluginHost
import Synchronization

/// A call of an effect that a worker makes, over and over.
// Safe because one thread begins it and waits for its end, and the memory is only read after that.
final class BenchCall: CallSink, @unchecked Sendable {
    let call: PreparedCall
    private let image: PluginImage
    private let services: HostServices
    private let hasReturned = Atomic<Bool>(true)
    /// Why the last call did not return.
    private(set) var fault: PluginError?

    init(_ call: PreparedCall, of image: PluginImage, _ services: HostServices) {
        (self.call, self.image, self.services) = (call, image, services)
    }

    var isOver: Bool { hasReturned.load(ordering: .acquiring) }

    /// Has the worker make the call.
    func begin() throws {
        hasReturned.store(false, ordering: .relaxed)
        let token = try services.begin(self, for: image)
        do { try call.start(token, self, lane: 0) } catch {
            services.cancel(token)
            throw error
        }
    }

    /// Waits for its end, and reads the worker's messages meanwhile.
    func end(_ turn: borrowing Worker.Turn) throws {
        var limit = 1_000_000
        while !turn.read(until: { isOver }) {
            limit -= 1
            if limit == 0 { throw BenchFault("a worker does not answer") }
        }
        if let fault { throw fault }
    }

    func returned(_ token: CallToken, _ error: PluginError?) {
        fault = error
        hasReturned.store(true, ordering: .releasing)
    }

    func emitted(emitter: String, payload: UnsafeRawPointer, wait: EmissionWait) -> Int32 { 0 }
    func rejected(emitter: String?, reason: String) {}
    func finished() {}
    func failed(code: Int32, text: String) {}
}
