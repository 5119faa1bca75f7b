import CForeignCall
import CPluginABI

/// The bytes that an instance writes through `spin_saving` while `save` runs.
@safe
final class SavingMemory {
    /// The plugin's view of this object, with the object after it.
    @safe
    private struct Table {
        var saving: spin_saving
        var owner: Unmanaged<SavingMemory>
    }

    /// More bytes than this are a mistake of the plugin.
    private static let largest = 1 << 30

    // Safe because it is made in `init` and freed in `deinit`.
    private let table: UnsafeMutablePointer<Table>
    private let isGuarded: Bool
    /// The written bytes.
    private(set) var bytes: [UInt8] = []

    /// - Parameter isGuarded: whether the call of `save` is guarded. The host leaves it to copy the bytes.
    init(isGuarded: Bool) {
        self.isGuarded = isGuarded
        unsafe table = .allocate(capacity: 1)
        unsafe table.initialize(
            to: Table(
                saving: spin_saving(
                    size: UInt32(MemoryLayout<spin_saving>.size), flags: 0,
                    write: isGuarded ? Self.writeOutside : Self.writeInside),
                owner: Unmanaged.passUnretained(self)))
    }

    deinit { unsafe table.deallocate() }

    /// The argument of `save`. Valid while this object lives.
    var pointer: UnsafeMutablePointer<spin_saving> {
        // Safe because the table begins with it.
        unsafe UnsafeMutableRawPointer(table).assumingMemoryBound(to: spin_saving.self)
    }

    private typealias Write =
        @convention(c) (UnsafeMutablePointer<spin_saving>?, UnsafeRawPointer?, Int) -> Int32

    private static let writeInside: Write = { unsafe SavingMemory.write($0, $1, $2) }

    private static let writeOutside: Write = { saving, data, size in
        GuardedCall.left { unsafe SavingMemory.write(saving, data, size) }
    }

    private static func write(
        _ saving: UnsafeMutablePointer<spin_saving>?, _ data: UnsafeRawPointer?, _ size: Int
    ) -> Int32 {
        // Safe because the plugin passes the table that it was given, while `save` runs, and as many bytes as
        // it says.
        guard let saving = unsafe saving, size >= 0 else { return SPIN_BAD_VALUE }
        guard size > 0 else { return SPIN_OK }
        guard let data = unsafe data else { return SPIN_BAD_VALUE }
        let memory = unsafe UnsafeMutableRawPointer(saving).assumingMemoryBound(to: Table.self)
            .pointee.owner.takeUnretainedValue()
        guard size <= largest - memory.bytes.count else { return SPIN_NO_MEMORY }
        guard unsafe !memory.isGuarded || foreign_is_readable(data, size) else { return SPIN_BAD_VALUE }
        unsafe memory.bytes.append(contentsOf: UnsafeRawBufferPointer(start: data, count: size))
        return SPIN_OK
    }
}
