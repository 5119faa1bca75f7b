import Interfaces
import Records

// The pointers that a call opens or closes, which the app must close.
extension PreparedCall {
    /// Holds the pointers that the call has opened, until the next call or the end of this object.
    func hold(_ handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)) {
        // Safe because a result that is a pointer is in the slot, and a buffer of pointers has whole ones.
        if handles.use.returnsHandle { unsafe open(result.load(as: UInt.self), handles) }
        for out in outs where handles.use.outs.contains(out.parameter) {
            for offset in stride(from: 0, to: out.buffer.size, by: MemoryLayout<UInt>.size) {
                unsafe open(out.buffer.base.load(fromByteOffset: offset, as: UInt.self), handles)
            }
        }
    }

    /// Holds the pointers that the call has opened in another process: those in its outcome.
    func holdOutcome() {
        guard let handles else { return }
        // Safe because the outcome has a pointer for each that the function opens.
        if handles.use.returnsHandle { unsafe open(outcome.load(as: UInt.self), handles) }
        for out in outs where handles.use.outs.contains(out.parameter) {
            let isList = if case .list = out.type { true } else { false }
            let place = unsafe UnsafeRawPointer(outcome + out.offset)
            let count = unsafe isList ? place.load(fromByteOffset: 8, as: Int.self) : 1
            let items = unsafe isList ? place.load(as: UnsafeRawPointer.self) : place
            for index in 0..<count {
                unsafe open(items.load(fromByteOffset: index * 8, as: UInt.self), handles)
            }
        }
    }

    /// Forgets the pointer that the call closes in another process.
    func forgetClosed() {
        guard let handles, handles.use.closes else { return }
        // Safe because the release function has one argument, a pointer.
        let address = unsafe arguments[0]!.load(as: UInt.self)
        handles.table.forget(address)
        handles.release.image.remote?.closed(address)
    }

    private func open(
        _ address: UInt, _ handles: (use: HandleUse, table: OpenHandles, release: FunctionAddress)
    ) {
        guard address != 0 else { return }
        handles.release.image.remote?.opened(address)
        guard let number = handles.table.open(address, closedBy: handles.release) else { return }
        opened.append(HandleHold.Handle(address: address, number: number))
    }

    /// Lets go of the pointers that the last call has opened. Those that no event has are closed, before the end of a
    /// run that ends after this.
    public func dropHandles() {
        guard let handles, !opened.isEmpty else { return }
        for handle in opened { handles.table.drop(handle) }
        opened = []
    }
}
