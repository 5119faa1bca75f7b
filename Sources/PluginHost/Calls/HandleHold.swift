/// Keeps pointers open. They are closed when their last hold is gone, unless a loop keeps them.
public final class HandleHold: Sendable {
    /// One opened pointer.
    struct Handle: Sendable {
        let address: UInt
        let number: UInt64
    }

    private let handles: [Handle]
    private let table: OpenHandles

    init(_ handles: [Handle], of table: OpenHandles) { (self.handles, self.table) = (handles, table) }

    /// Lets the app keep those that are among `addresses`. The app closes them from now on.
    public func keep(_ addresses: [UInt]) {
        for handle in handles where addresses.contains(handle.address) { table.keep(handle) }
    }

    deinit { for handle in handles { table.drop(handle) } }
}
