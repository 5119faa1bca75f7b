import CPluginABI
import HostLoop

/// The functions that wait for room in a mailbox.
extension HostRegistry {
    /// Has a function called once when the loop of a running call has room.
    ///
    /// - Returns: `SPIN_OK`, or the status for the plugin.
    func onRoom(_ token: CallToken, _ function: PluginCallback) -> Int32 {
        register(function, as: \.onRoom, once: .secondRoom, for: token) { call in
            let wait = call.sink.whenRoom { [self] in
                guard let function = takeRoom(of: call) else { return }
                report(function, to: call.image)
                call.image.work.end()
            }
            guard let wait else {
                guard takeRoom(of: call) != nil else { return SPIN_OK }
                call.image.work.end()
                return SPIN_BAD_VALUE
            }
            let isWanted = calls.withLock { _ in
                if call.onRoom != nil { call.roomWait = wait }
                return call.onRoom != nil
            }
            if !isWanted { wait.cancel() }
            return SPIN_OK
        }
    }

    /// Takes the function out, unless the end of the call has taken it. The caller must end the work that begins
    /// here: a caller that waits for the plugin's work must see the function.
    private func takeRoom(of call: CallTable.Call) -> PluginCallback? {
        calls.withLock { _ in
            let function = call.onRoom.take()
            if function != nil { call.image.work.begin() }
            return function
        }
    }

    /// Calls a plugin's function that has waited for room, on a thread that it may block.
    func report(_ room: PluginCallback, to image: PluginImage) {
        guard !image.submit(room, as: .room) else { return }
        // The system has no thread left. The function must be called all the same.
        if let failure = room.call(for: image, as: .room) { image.log(failure) }
    }
}
