import CPluginABI

/// The functions of `spin_buffer_service`.
// Safe because addresses and the token are looked up before they are used.
enum BufferService {
    static func allocate(_ host: UnsafePointer<spin_host>?, _ size: Int) -> UnsafeMutablePointer<UInt8>? {
        guard unsafe HostRegistry.shared.image(of: host) != nil else { return nil }
        return unsafe PluginBuffers.shared.allocate(size, for: UInt(bitPattern: host))?
            .assumingMemoryBound(to: UInt8.self)
    }

    static func retain(
        _ host: UnsafePointer<spin_host>?, _ call: OpaquePointer?, _ data: UnsafePointer<UInt8>?
    ) -> Int32 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        let owner = UInt(bitPattern: host)
        if PluginBuffers.shared.retain(UInt(bitPattern: data), for: owner) { return SPIN_OK }
        guard let data = unsafe data, unsafe call != nil else {
            image.conduct.broke(.badBuffer, effect: nil, call: nil)
            return SPIN_BAD_VALUE
        }
        switch unsafe HostRegistry.shared.find(call) {
        case .failure(let status): return status.code
        case .success(let found):
            // The sink keeps the argument while it is retained, also when the call ends meanwhile.
            guard found.image === image, unsafe found.sink.isArgument(data) else {
                unsafe found.broke(.badBuffer, CallToken(call))
                return SPIN_BAD_VALUE
            }
            unsafe PluginBuffers.shared.add(data, for: owner)
            return SPIN_OK
        }
    }

    static func release(_ host: UnsafePointer<spin_host>?, _ data: UnsafePointer<UInt8>?) -> Int32 {
        guard let image = unsafe HostRegistry.shared.image(of: host) else { return SPIN_NO_HOST }
        if PluginBuffers.shared.release(UInt(bitPattern: data), for: UInt(bitPattern: host)) {
            return SPIN_OK
        }
        image.conduct.broke(.badBuffer, effect: nil, call: nil)
        return SPIN_BAD_VALUE
    }
}
