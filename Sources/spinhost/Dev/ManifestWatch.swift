import App
import HostLoop
import Manifest

/// Tells when a manifest or a file that it includes has changed: its bytes, not its time alone. It looks twenty times a second, as
/// `LibraryWatch` does at libraries, and takes a file when it stayed the same from one look to the next.
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

    /// What the files of a manifest have in them.
    struct Content: Equatable, Sendable {
        /// The bytes of each file; nothing for one that cannot be read.
        private let files: [String: [UInt8]]
        /// The files, and the folders in which a further file could be one of the manifest's, as they were before they
        /// were read.
        fileprivate let places: [SettledFile]
        /// Whether the manifest itself cannot be read, or has nothing in it.
        fileprivate let isMissing: Bool

        /// That of the manifest at `path`.
        init(of path: String) {
            let sources = Manifest.places(of: path)
            places = (sources.files + sources.folders).map { place in
                let mayBeEmpty = place != path
                return SettledFile(
                    place, mayBeEmpty: mayBeEmpty, taken: FileMark(place, mayBeEmpty: mayBeEmpty))
            }
            let limit = Manifest.maximumSize + 1
            self.files = Dictionary(
                sources.files.map { ($0, FileContent.read($0, atMost: limit) ?? []) },
                uniquingKeysWith: { first, _ in first })
            isMissing = self.files[path]?.isEmpty ?? true
        }

        static func == (left: Content, right: Content) -> Bool { left.files == right.files }
    }

    /// What is told.
    struct Change: Sendable {
        /// What is in the files.
        let content: Content
        /// Whether it is the same as before, and a library has changed.
        let isRetry: Bool
    }

    private struct State {
        var files: [SettledFile]
        /// Nil: what is saved next is told, also when it is the same.
        var content: Content?
        var isTelling = false
        var awaitsLibrary = false
        var changed: @Sendable (Change) async -> Answer = { _ in .refused }

        init(_ content: Content) { (files, self.content) = (content.places, content) }

        /// Looks at the files of a manifest and its folders from now on.
        mutating func look(at content: Content) {
            let known = files
            files = content.places.map { place in known.first { $0.path == place.path } ?? place }
        }

        /// Looks; true when one of the files has changed and settled.
        mutating func settles() -> Bool {
            files.indices.reduce(false) { files[$1].settles() || $0 }
        }
    }

    private let path: String
    private let state: Lock<State>
    private let ticker = Ticker("spinhost.dev.manifest", every: .milliseconds(50))

    /// - Parameter content: what the files had in them when the manifest was loaded.
    init(_ path: String, content: Content) {
        self.path = path
        state = Lock(State(content))
    }

    /// Looks until `stop`.
    ///
    /// - Parameter changed: told when the files have something else in them, and by `retry`; changes that come while it runs are told
    ///   after it.
    func start(_ changed: @escaping @Sendable (Change) async -> Answer) {
        state.withLock { $0.changed = changed }
        ticker.start { [weak self] in self?.look() }
    }

    /// Looks no more. What is being told continues: it may load a library, whose constructor may never return.
    func stop() { ticker.stop() }

    /// Whether a manifest has the content that was told still: what was read of a file that is being saved says nothing.
    static func has(_ path: String, _ change: Change) -> Bool { Content(of: path) == change.content }

    /// Tells once more of a change that awaits a library.
    ///
    /// - Returns: whether it is taken now.
    func retry() async -> Bool {
        guard state.withLock({ $0.awaitsLibrary }), let tell = begin(Content(of: path), isRetry: true)
        else { return false }
        return await tell() == .taken
    }

    private func look() {
        guard state.withLock({ !$0.isTelling && $0.settles() }),
            let tell = begin(Content(of: path), isRetry: false)
        else { return }
        Task { _ = await tell() }
    }

    /// What tells of the content, if it is another one, and nothing is being told.
    private func begin(_ content: Content, isRetry: Bool) -> (@Sendable () async -> Answer)? {
        let changed = state.withLock { state -> (@Sendable (Change) async -> Answer)? in
            guard !content.isMissing, state.content != content, !state.isTelling else { return nil }
            (state.content, state.isTelling) = (content, true)
            state.look(at: content)
            return state.changed
        }
        guard let changed else { return nil }
        return { [self] in
            let answer = await changed(Change(content: content, isRetry: isRetry))
            // What was loaded may be newer than what was told.
            let isOther = Content(of: path) != content
            state.withLock { state in
                state.isTelling = false
                state.awaitsLibrary = [.awaitsLibrary, .failed].contains(answer)
                if answer != .taken { state.content = nil }
                for index in state.files.indices {
                    if answer == .failed { state.files[index].retry() }
                    if answer == .tooEarly || isOther { state.files[index].forget() }
                }
            }
            return answer
        }
    }
}
