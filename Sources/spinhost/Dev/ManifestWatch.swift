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
        /// Likewise; and `retry` tells it again, as a library that has changed may be what it waits for.
        case awaitsLibrary
        /// It is told again.
        case tooEarly
        /// As `awaitsLibrary`. The same content is also told again, twice at most, as the reason may have passed.
        case failed
    }

    /// What is told.
    struct Change: Sendable {
        /// What is in the file.
        let content: [UInt8]
        /// Whether it is the same as before, and a library has changed.
        let isRetry: Bool
    }

    private struct State {
        var file: SettledFile
        var content: [UInt8]
        var isTelling = false
        var awaitsLibrary = false
        var changed: @Sendable (Change) async -> Answer = { _ in .refused }
    }

    private let path: String
    private let state: Lock<State>
    private let ticker = Ticker("spinhost.dev.manifest", every: .milliseconds(50))

    /// What a file has in it; nothing when it cannot be read.
    static func content(of path: String) -> [UInt8] {
        FileContent.read(path, atMost: Manifest.maximumSize + 1) ?? []
    }

    /// - Parameter content: what the file had in it when it was loaded.
    init(_ path: String, content: [UInt8]) {
        self.path = path
        state = Lock(State(file: SettledFile(path), content: content))
    }

    /// Looks until `stop`.
    ///
    /// - Parameter changed: told when the file has something else in it, and by `retry`; changes that come while it runs are told
    ///   after it.
    func start(_ changed: @escaping @Sendable (Change) async -> Answer) {
        state.withLock { $0.changed = changed }
        ticker.start { [weak self] in self?.look() }
    }

    /// Looks no more. What is being told continues: it may load a library, whose constructor may never return.
    func stop() { ticker.stop() }

    /// Whether a file has the content that was told still: what was read of one that is being saved says nothing.
    static func has(_ path: String, _ change: Change) -> Bool { content(of: path) == change.content }

    /// Tells once more of a change that awaits a library.
    ///
    /// - Returns: whether it is taken now.
    func retry() async -> Bool {
        guard state.withLock({ $0.awaitsLibrary }), let tell = begin(Self.content(of: path), isRetry: true)
        else { return false }
        return await tell() == .taken
    }

    private func look() {
        guard state.withLock({ !$0.isTelling && $0.file.settles() }),
            let tell = begin(Self.content(of: path), isRetry: false)
        else { return }
        Task { _ = await tell() }
    }

    /// What tells of the content, if it is another one, and nothing is being told.
    private func begin(_ content: [UInt8], isRetry: Bool) -> (@Sendable () async -> Answer)? {
        let changed = state.withLock { state -> (@Sendable (Change) async -> Answer)? in
            guard !content.isEmpty, state.content != content, !state.isTelling else { return nil }
            (state.content, state.isTelling) = (content, true)
            return state.changed
        }
        guard let changed else { return nil }
        return { [self] in
            let answer = await changed(Change(content: content, isRetry: isRetry))
            // What was loaded may be newer than what was told.
            let isOther = Self.content(of: path) != content
            state.withLock { state in
                state.isTelling = false
                state.awaitsLibrary = [.awaitsLibrary, .failed].contains(answer)
                if answer != .taken { state.content = [] }
                if answer == .failed { state.file.retry() }
                if answer == .tooEarly || isOther { state.file.forget() }
            }
            return answer
        }
    }
}
