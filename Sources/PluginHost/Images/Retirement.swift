import CPluginABI
import Dispatch
import HostLoop
import Interfaces

/// Unmaps a loaded library, or keeps it mapped, when nothing refers to its image any more.
///
/// A retired library without a hindrance is unmapped. Nothing runs its code then, as every caller keeps the
/// image alive, and nothing can have kept an address in it.
final class Retirement: Sendable {
    private struct State {
        var isRetired = false
        /// The address of the library's table of host functions; 0 if it has none.
        var host: UInt = 0
        /// A hindrance that the file does not show.
        var hindrance: UnmappingHindrance?
    }

    private let hindrance: UnmappingHindrance?
    private let size: Int
    private let state = Lock(State())

    /// Unmaps libraries. The last use of an image may be within a step of a loop, which must not wait for it.
    private static let queue = DispatchQueue(label: "spinhost.retire", qos: .utility)

    init(of file: ELFFile) { (hindrance, size) = (UnmappingHindrance(in: file), file.mappedSize) }

    /// The library has got a table of host functions.
    func introduced(_ host: UInt) { state.withLock { $0.host = host } }

    /// Sets whether the library is retired, and returns whether that is a change.
    func setRetired(_ isRetired: Bool) -> Bool {
        state.withLock { state in
            defer { state.isRetired = isRetired }
            return state.isRetired != isRetired
        }
    }

    /// Keeps the library mapped, for this reason if its file gives none.
    func hinder(_ hindrance: UnmappingHindrance) { state.withLock { $0.hindrance = hindrance } }

    /// Must be called once, when nothing refers to the image any more.
    func end(
        _ library: LoadedLibrary, copy: StagedLibrary, callees: [Callee], quarantine: Quarantine,
        _ images: RetiredImages
    ) {
        let (isRetired, host, later) = state.withLock { ($0.isRetired, $0.host, $0.hindrance) }
        guard isRetired else { return }
        // A call that crashed was abandoned, and may have left locks or threads behind.
        let crash = quarantine.hasBegun ? UnmappingHindrance("one of its calls crashed") : nil
        guard let kept = hindrance ?? later ?? crash else {
            images.isUnmapping()
            Self.queue.async { [size] in
                let base = library.base
                PluginImage.mapped.withLock { _ = $0.remove(base) }
                guard library.unmap(path: copy.path) else {
                    PluginImage.mapped.withLock { _ = $0.insert(base) }
                    return images.keeps(
                        UnmappingHindrance("the dynamic loader keeps it"), size, wasUnmapping: true)
                }
                for callee in callees { callee.free() }
                quarantine.free()
                if host != 0 { HostTable.free(host) }
                images.unmapped()
            }
            return
        }
        images.keeps(kept, size)
    }
}

extension PluginImage {
    /// Retires the image: it gets no new calls, and is unmapped as soon as nothing refers to it and nothing
    /// can point into it.
    ///
    /// `HostServices.images` counts it. Does nothing for a library that was not loaded from a copy.
    public func retire() {
        if retirement?.setRetired(true) == true { services.images.retires() }
    }

    /// Keeps the image mapped after it is retired, as code outside the host may refer to its memory.
    ///
    /// - Parameter reason: the reason in words, such as "it contains Swift".
    public func stayMapped(because reason: String) { retirement?.hinder(UnmappingHindrance(reason)) }

    /// Undoes `retire`.
    public func revive() {
        if retirement?.setRetired(false) == true { services.images.revives() }
    }
}
