import Expressions
import HostLoop
import Interfaces
import Manifest
import PluginHost
import Records
import Synchronization

/// Answers the callbacks of one call of an effect that returns: with the expressions of the manifest, over the
/// state and event that the run began with.
///
/// After the first fault, and once the run was cancelled, C gets the fallback of each call. Used from any
/// thread.
final class CallbackRun: CallbackSink {
    private let callbacks: [DeclaredCallback]
    private let effect: EffectReference
    private let run: Run<AppEvent>
    private let scope: RunScope
    private let first = Lock<RunFault?>(nil)
    private let hasFailed = Atomic<Bool>(false)

    init(
        _ callbacks: [DeclaredCallback], of effect: EffectReference, _ run: Run<AppEvent>, _ scope: RunScope
    ) {
        (self.callbacks, self.effect, self.run, self.scope) = (callbacks, effect, run, scope)
    }

    /// The first fault of a callback.
    var fault: RunFault? { first.withLock { $0 } }

    var isOver: Bool { hasFailed.load(ordering: .relaxed) || run.isCancelled }

    func fallback(_ callback: Int) -> Record? { callbacks[callback].model.fallback }

    func refused(_ error: PluginError) { failed(RunFault(error, at: effect.span)) }

    func responder(_ callback: Int) -> CallbackResponder {
        let callback = callbacks[callback]
        let frame = scope.makeFrame()
        return { [self] value, result in
            // Safe because this object keeps the records of the scope, and the value is borrowed for the call.
            unsafe frame.bind(.value, to: value)
            if callback.readsNow { frame.takeTime() }
            do throws(RunFault) {
                unsafe try callback.compute(frame, into: result)
                return try send(callback, frame)
            } catch {
                failed(error)
                return false
            }
        }
    }

    /// Sends the events of a call; false when the run has ended.
    private func send(_ callback: DeclaredCallback, _ frame: ExpressionFrame) throws(RunFault) -> Bool {
        guard let events = callback.events else { return true }
        switch try events.send(frame, to: run).result {
        case .queued: return true
        case .full: throw RunFault(mailboxIsFullFor: callback.name, of: effect)
        case .cancelled, .stopped: return false
        }
    }

    private func failed(_ fault: RunFault) {
        first.withLock { $0 = $0 ?? fault }
        hasFailed.store(true, ordering: .relaxed)
    }
}

/// A callback of a feedback in one running loop.
struct DeclaredCallback: Sendable {
    let model: CallbackModel
    /// The function's parameter.
    let name: String
    /// The events of a call; nil when it sends none.
    let events: EmissionMapping?
    let readsNow: Bool

    init(_ model: CallbackModel, of effect: EffectReference, in loop: LoopContext) {
        self.model = model
        name = effect.signature.parameters[model.parameter].name
        events = model.batch.emissions.isEmpty ? nil : EmissionMapping(model.batch, of: loop)
        readsNow = model.reads.contains(FrameSlot.now.rawValue)
    }

    /// Computes the result of a call into a value of its type.
    func compute(_ frame: ExpressionFrame, into memory: UnsafeMutableRawPointer) throws(RunFault) {
        guard let (store, text) = model.result else { return }
        // Safe because the caller promises a value of the type.
        do { unsafe try store.evaluate(frame.frame, into: memory) } catch { throw RunFault(error, in: text) }
    }
}
