public import CPluginABI

/// What the macros call, between the host and the functions of a plugin. Not for plugins.
public enum Bridge {
    /// Where `save` writes to.
    public typealias Saving = UnsafeMutablePointer<spin_saving>
    /// What `restore` reads.
    public typealias SavedPointer = UnsafePointer<spin_saved>

    // MARK: Effects

    /// A copy of what the host passes.
    @inlinable public static func passed<Value: Passable>(_ value: Value.SpinC) -> Value {
        Value.passed(value)
    }

    /// An argument that the plugin may keep.
    public static func kept(_ value: spin_bytes, _ call: Call) -> SharedBytes {
        unsafe SharedBytes(keeping: value, of: call)
    }

    /// The call of an effect.
    public static func call(_ token: OpaquePointer?) -> Call {
        // Safe because the token is read as a number.
        unsafe Call(token!)
    }

    /// The instance of an effect, which `create` made.
    public static func instance<Object: Instance>(_ object: OpaquePointer?) -> Object {
        // Safe because the host passes an instance from `create`, until it calls `destroy`.
        unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(object!)).takeUnretainedValue()
    }

    /// Fails the call when `body` throws.
    public static func attempt(_ call: Call, _ body: () throws -> Void) {
        _ = status(of: call, body)
    }

    private static func status(of call: Call, _ body: () throws -> Void) -> Int32 {
        do {
            try body()
            return SPIN_OK
        } catch {
            let code = error as? Status ?? .failed
            call.fail("\(error)", code: code)
            return code == .ok ? SPIN_FAILED : code.rawValue
        }
    }

    // MARK: Emissions

    /// Emits with a payload of exactly the emitter's fields. The description of the emitter is in the record,
    /// behind the size of the record.
    @inlinable public static func emit<Record, Payload>(
        _ call: Call, _ record: inout Record, _ payload: Payload
    ) -> Status {
        // Safe because the record is a constant of the library, and the host copies the payload.
        unsafe withUnsafePointer(to: payload) { payload in
            unsafe Status(rawValue: spin_emit(call.token, emitter(&record), payload))
        }
    }

    /// The same, which waits while the mailbox is full; without a limit for nil.
    @inlinable public static func emit<Record, Payload>(
        _ call: Call, _ record: inout Record, _ payload: Payload, waiting limit: Duration?
    ) -> Status {
        let timeout = limit.map { max($0.nanoseconds, 0) } ?? -1
        // Safe because the record is a constant of the library, and the host copies the payload.
        return unsafe withUnsafePointer(to: payload) { payload in
            unsafe Status(rawValue: spin_emit_wait(call.token, emitter(&record), payload, timeout))
        }
    }

    @inlinable static func emitter<Record>(_ record: inout Record) -> UnsafePointer<spin_emitter> {
        // Safe because the record has an address for ever, as a variable of the library.
        unsafe withUnsafeMutablePointer(to: &record) { record in
            unsafe (UnsafeRawPointer(record) + 8).assumingMemoryBound(to: spin_emitter.self)
        }
    }

    // MARK: Settings

    /// A setting at an offset in the struct of C.
    public static func setting<Value: Passable>(_ settings: UnsafeRawPointer, at offset: Int) -> Value {
        // Safe because the macro computes the offset of this type.
        unsafe Value.passed(settings.load(fromByteOffset: offset, as: Value.SpinC.self))
    }

    // MARK: Instances

    /// Makes an instance for the host, which is retained until `destroy`.
    public static func create<Object: Instance>(
        _: Object.Type, _ token: OpaquePointer?, _ settings: UnsafeRawPointer?
    ) -> OpaquePointer? {
        var object: Object?
        let call = unsafe call(token)
        // Safe because the host passes the settings of the note, and nil only without settings.
        attempt(call) {
            let settings = unsafe settings ?? UnsafeRawPointer(bitPattern: 8)!
            object = try Object(call, settings: unsafe Object.Settings(spin_settings: settings))
        }
        return unsafe object.map { unsafe OpaquePointer(Unmanaged.passRetained($0).toOpaque()) }
    }

    /// Releases an instance from `create`.
    public static func destroy<Object: Instance>(_: Object.Type, _ object: OpaquePointer?) {
        // Safe because the host calls this once, at the end.
        unsafe Unmanaged<Object>.fromOpaque(UnsafeRawPointer(object!)).release()
    }

    /// Starts an instance.
    public static func start<Object: Life>(
        _: Object.Type, _ token: OpaquePointer?, _ object: OpaquePointer?
    ) -> Int32 {
        let (call, object): (Call, Object) = unsafe (call(token), instance(object))
        return status(of: call) { try object.start(call) }
    }

    /// Stops an instance.
    public static func stop<Object: Life>(_: Object.Type, _ object: OpaquePointer?) {
        let object: Object = unsafe instance(object)
        object.stop()
    }

    /// Saves an instance.
    public static func save<Object: Swap>(
        _: Object.Type, _ token: OpaquePointer?, _ object: OpaquePointer?, _ saving: Saving?
    ) -> Int32 {
        let (call, object): (Call, Object) = unsafe (call(token), instance(object))
        return status(of: call) {
            // Safe because the host copies the bytes before it returns.
            let written = unsafe try object.save(call).withUnsafeBytes { bytes in
                unsafe Status(rawValue: spin_write(saving, bytes.baseAddress, bytes.count))
            }
            guard written == .ok else { throw written }
        }
    }

    /// Restores an instance.
    public static func restore<Object: Swap>(
        _: Object.Type, _ token: OpaquePointer?, _ object: OpaquePointer?, _ saved: SavedPointer?
    ) -> Int32 {
        let (call, object): (Call, Object) = unsafe (call(token), instance(object))
        // Safe because the host keeps the state during the call.
        let state = unsafe SavedState(
            schema: saved!.pointee.schema, version: String(cString: saved!.pointee.version),
            data: .passed(spin_bytes(data: saved!.pointee.data, size: saved!.pointee.data_size)))
        return status(of: call) { try object.restore(call, state) }
    }
}
