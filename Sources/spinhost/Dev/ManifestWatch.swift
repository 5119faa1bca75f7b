import App
import HostLoop
import Manifest

/// Tells when a manifest has changed: its bytes, not its time alone. It looks twenty times a second, as `LibraryWatch` does at
/// libraries, and takes the file when it stayed the same from one look to the next.
final class ManifestWatch: Sendable {
    /// What became of a change.
    enum Answer {
        case taken
        /// What is saved next is told, also when it is the same: what was in the way may have gone.
        case refused
        /// It is told again.
        case tooEarly
    }

    private struct State {
        var file: SettledFile
        var content: [UInt8]
        var isTelling = false
    }

    private let path: String
    private let changed: @Sendable () async -> Answer
    private let state: Lock<State>
    private let ticker = Ticker("spinhost.dev.manifest", every: .milliseconds(50))

    /// What a file has in it; nothing when it cannot be read.
    static func content(of path: String) -> [UInt8] {
        FileContent.read(path, atMost: Manifest.maximumSize + 1) ?? []
    }

    /// - Parameters:
    ///   - content: what the file had in it when it was loaded.
    ///   - changed: told when it has something else in it; changes that come while it runs are told after it.
    init(_ path: String, content: [UInt8], changed: @escaping @Sendable () async -> Answer) {
        (self.path, self.changed) = (path, changed)
        state = Lock(State(file: SettledFile(path), content: content))
    }

    /// Looks until `stop`.
    func start() {
        ticker.start { [weak self] in self?.look() }
    }

    /// Looks no more. What is being told goes on: it may load a library, whose constructor may never return.
    func stop() { ticker.stop() }

    private func look() {
        guard state.withLock({ !$0.isTelling && $0.file.settles() }) else { return }
        let content = Self.content(of: path)
        let isOther = state.withLock { state in
            guard !content.isEmpty, state.content != content else { return false }
            (state.content, state.isTelling) = (content, true)
            return true
        }
        guard isOther else { return }
        Task { [weak self, changed] in
            let answer = await changed()
            self?.state.withLock { state in
                state.isTelling = false
                if answer != .taken { state.content = [] }
                if answer == .tooEarly { state.file.forget() }
            }
        }
    }
}
