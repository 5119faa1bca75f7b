import CPluginABI
import Dispatch
import HostLoop
import Interfaces

/// What becomes of a loaded library when nothing refers to its image any more.
///
/// It is unmapped if it was retired and there is no hindrance: nothing then runs its code, as whoever calls it holds the image, and
/// nothing is known to have kept an address in it.
final class Retirement: Sendable {
    private struct State {
        var isRetired = false
        /// The table that the library was given, as a number; 0 for none.
        var host: UInt = 0
        /// What its file does not say.
        var hindrance: UnmappingHindrance?
    }

    private let hindrance: UnmappingHindrance?
    private let size: Int
    private let state = Lock(State())

    /// Unmapping happens elsewhere than the last use, which may be within a step of a loop.
    private static let queue = DispatchQueue(label: "spinhost.retire", qos: .utility)

    init(of file: ELFFile) { (hindrance, size) = (UnmappingHindrance(in: file), file.mappedSize) }

    /// The library was given a table of the host's functions.
    func introduced(_ host: UInt) { state.withLock { $0.host = host } }

    /// Whether the library is to be unmapped when nothing refers to it any more; true when that is a change.
    func setRetired(_ isRetired: Bool) -> Bool {
        state.withLock { state in
            defer { state.isRetired = isRetired }
            return state.isRetired != isRetired
        }
    }

    /// The library is not to be unmapped, for this reason if its file gives none.
    func hinder(_ hindrance: UnmappingHindrance) { state.withLock { $0.hindrance = hindrance } }

    /// Nothing refers to the image any more.
    func end(
        _ library: LoadedLibrary, copy: StagedLibrary, callees: [Callee], quarantine: Quarantine,
        _ images: RetiredImages
    ) {
        let (isRetired, host, later) = state.withLock { ($0.isRetired, $0.host, $0.hindrance) }
        guard isRetired else { return }
        // A call that crashed was left where it was: who knows what it has locked or begun.
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
    /// The image is used for nothing new: it is unmapped as soon as nothing refers to it and nothing can point into it, else it
    /// stays mapped. `HostServices.images` counts what became of it. Nothing for what is not loaded from a copy.
    public func retire() {
        if retirement?.setRetired(true) == true { services.images.retires() }
    }

    /// The image stays mapped when it is retired: something that is not known here may refer to its memory.
    ///
    /// - Parameter reason: in words: "it contains Swift".
    public func stayMapped(because reason: String) { retirement?.hinder(UnmappingHindrance(reason)) }

    /// Undoes `retire`.
    public func revive() {
        if retirement?.setRetired(false) == true { services.images.revives() }
    }
}
