import CPluginABI
import CRing
import HostLoop
package import Interfaces
package import PluginHost
import Records
import Sandbox

/// A worker whose process is played from bytes, for tests: the host must take anything that it sends.
package final class PlayedWorker {
    private let worker: Worker
    private let process: WorkerProcess
    private let writer: MessageWriter
    private let image: PluginImage
    private let calls: [CallToken]

    /// A worker with a plugin, of which each effect is called once.
    ///
    /// - Parameters:
    ///   - description: the plugin. Its effects take no arguments besides the call.
    ///   - sink: hears of the calls.
    package init(
        _ description: PluginDescription, services: HostServices, sink: any CallSink
    ) throws(PluginError) {
        worker = Worker(
            WorkerSetup(program: "/", name: "played", policy: .init(), folder: "/"), services: services)
        process = try WorkerProcess(playedIn: SharedMemory.makeFile())
        writer = MessageWriter(process.memory, .toHost)
        let plugin = WorkerPlugin(
            worker.nextNumber(), of: worker, LoadRequest(nil, library: "played", declares: nil), nil)
        image = PluginImage.remote(description, library: "played", in: plugin, services: services)
        plugin.introduce(image)
        worker.state.withLock { [process] state in
            state.phase = .running(process)
            state.plugins[plugin.number] = plugin
        }
        var calls: [CallToken] = []
        for effect in description.effects {
            let signature: CallSignature
            do { signature = try CallSignature(effect.function, arguments: []) } catch { continue }
            let function = WorkerFunction(
                worker.nextNumber(),
                FunctionRequest(name: effect.name, isEffect: true, release: nil, arguments: []), signature,
                of: plugin)
            let call = PreparedCall(try CallInterface(signature, of: image.effect(effect.name), in: function))
            let token = try services.begin(sink, for: image, effect: effect.name)
            call.setCall(token)
            try worker.begin(Flight(call, of: function, token, sink, lane: 0, isOnProbation: false))
            calls.append(token)
        }
        self.calls = calls
    }

    /// Marks the kind of a message whose long values lie beside it.
    package static var lentMark: UInt32 { MessageReader.lentMark }

    /// The number of a call, as messages have it.
    package func number(ofCall index: Int) -> UInt64 { UInt64(calls[index % calls.count].bits) }

    /// Has the process send a message.
    package func send(_ kind: UInt32, _ body: [UInt8]) {
        // Safe because the bytes are copied.
        unsafe body.withUnsafeBytes { bytes in _ = writer.send(kind) { unsafe $0.put(raw: bytes) } }
        read()
    }

    /// Has the process write bytes over the beginning of the ring and its positions.
    package func scribble(_ bytes: [UInt8], at offset: Int) {
        process.memory.scribble(bytes, at: offset)
        read()
    }

    private func read() {
        process.drain { [worker, process] kind, message throws(DamagedBytes) in
            try worker.take(kind, &message, of: process)
        }
    }

    /// Why the host would have killed the process; nil if it would not.
    package var killReason: String? { process.killReason }

    /// Ends the calls, as the end of a process does.
    package func end() { worker.failCalls("it was played") }
}
