import CPluginABI
import HostLoop
import Interfaces

/// The function tables that plugins of one host publish, and the uses of others (`spin.api/1`). May be used from
/// any thread.
///
/// A use keeps its publisher alive, and so mapped. Nothing here keeps a user alive.
final class PublishedTables: Sendable {
    /// A table, as its publisher describes it.
    // Safe because the host only hands the address on.
    @safe
    struct Table: @unchecked Sendable {
        let address: UnsafeRawPointer
        let size: UInt32
        let major, minor: UInt32
    }

    private struct Publication {
        let publisher: ObjectIdentifier
        let plugin: String
        weak var image: PluginImage?
        let table: Table
    }

    private struct Use {
        let name: String
        let publisher: PluginImage
        let user: ObjectIdentifier
        let userName: String
        weak var image: PluginImage?
        let wanted: PluginCallback?
        /// Whether the user is being asked to let go.
        var isAsked = false
    }

    private struct State {
        /// By name, the newest last. All publications of a name are of versions of one plugin.
        var publications: [String: [Publication]] = [:]
        var uses: [UInt64: Use] = [:]
        var lastUse: UInt64 = 0
        /// Publishers whose tables nobody may acquire.
        var closed: Set<ObjectIdentifier> = []
        var waiting: [(publisher: ObjectIdentifier, done: @Sendable () -> Void)] = []

        func isUsed(_ publisher: ObjectIdentifier) -> Bool {
            uses.contains { ObjectIdentifier($0.value.publisher) == publisher }
        }

        /// Takes those who wait for the end of a publisher's uses, if it has none.
        mutating func takeWaiting(for publisher: ObjectIdentifier) -> [@Sendable () -> Void] {
            guard !isUsed(publisher) else { return [] }
            defer { waiting.removeAll { $0.publisher == publisher } }
            return waiting.filter { $0.publisher == publisher }.map(\.done)
        }

        /// Ends uses. The caller must let go of them after the lock: each may have the last reference to an
        /// image.
        mutating func end(_ isEnded: (UInt64, Use) -> Bool) -> ([Use], [@Sendable () -> Void]) {
            let ended = uses.filter { isEnded($0.key, $0.value) }
            for number in ended.keys { uses[number] = nil }
            let publishers = Set(ended.values.map { ObjectIdentifier($0.publisher) })
            return (Array(ended.values), publishers.flatMap { takeWaiting(for: $0) })
        }
    }

    private let state = Lock(State())

    /// Publishes a table; false when the name is taken.
    func publish(_ table: Table, as name: String, by image: PluginImage) -> Bool {
        state.withLock { state in
            let known = state.publications[name] ?? []
            let (publisher, plugin) = (ObjectIdentifier(image), image.id)
            guard known.allSatisfy({ $0.plugin == plugin && $0.publisher != publisher }) else { return false }
            state.publications[name] =
                known + [Publication(publisher: publisher, plugin: plugin, image: image, table: table)]
            return true
        }
    }

    /// The answer of `withdraw`.
    enum Withdrawal { case withdrawn, isUsed, isNotPublished }

    /// Ends a publication. If it has uses, it asks the users to let go, and the publication continues.
    func withdraw(_ name: String, of image: PluginImage) -> Withdrawal {
        let publisher = ObjectIdentifier(image)
        let answer = state.withLock { state -> Withdrawal in
            guard var own = state.publications[name],
                let index = own.firstIndex(where: { $0.publisher == publisher })
            else { return .isNotPublished }
            let isUsed = state.uses.values.contains { $0.name == name && $0.publisher === image }
            guard !isUsed else { return .isUsed }
            own.remove(at: index)
            state.publications[name] = own.isEmpty ? nil : own
            return .withdrawn
        }
        if answer == .isUsed { ask(usersOf: image, only: name) }
        return answer
    }

    /// Why there is no use.
    enum Refusal: Error { case isNotPublished, isOlder, isOwn }

    /// Begins a use of the newest table of that name.
    func acquire(
        _ name: String, major: UInt32, leastMinor: UInt32, by image: PluginImage, wanted: PluginCallback?
    ) throws(Refusal) -> (table: Table, use: UInt64) {
        // The publisher goes out of the lock, as its last reference must not be released there.
        let (found, _) = state.withLock { state -> (Result<(Table, UInt64), Refusal>, PluginImage?) in
            let open = state.publications[name]?.last { !state.closed.contains($0.publisher) }
            guard let open, let publisher = open.image else { return (.failure(.isNotPublished), nil) }
            guard open.table.major == major else { return (.failure(.isNotPublished), publisher) }
            guard publisher !== image else { return (.failure(.isOwn), publisher) }
            guard open.table.minor >= leastMinor else { return (.failure(.isOlder), publisher) }
            state.lastUse += 1
            state.uses[state.lastUse] = Use(
                name: name, publisher: publisher, user: ObjectIdentifier(image), userName: image.id,
                image: image, wanted: wanted)
            return (.success((open.table, state.lastUse)), publisher)
        }
        let (table, use) = try found.get()
        return (table, use)
    }

    /// Ends a use; false when the plugin has none of that number.
    func release(_ use: UInt64, of image: PluginImage) -> Bool {
        // The last reference to a publisher may go with the use, which must not happen under the lock.
        let (ended, done) = state.withLock { state in
            state.end { number, found in number == use && found.user == ObjectIdentifier(image) }
        }
        for body in done { body() }
        return !ended.isEmpty
    }

    /// Forgets the publications and uses of an image that nothing refers to any more.
    ///
    /// - Returns: the names of the tables that it still used.
    func forget(_ image: ObjectIdentifier) -> [String] {
        let (ended, done) = state.withLock { state -> ([Use], [@Sendable () -> Void]) in
            state.closed.remove(image)
            for (name, known) in state.publications where known.contains(where: { $0.publisher == image }) {
                let rest = known.filter { $0.publisher != image }
                state.publications[name] = rest.isEmpty ? nil : rest
            }
            return state.end { _, use in use.user == image }
        }
        for body in done { body() }
        return ended.map(\.name)
    }

    // MARK: - Publishers that are to stop

    /// Lets nobody acquire tables of a publisher, asks its users to let go, and calls `done` once nobody uses
    /// them. A user in quarantine does not count.
    func close(_ image: PluginImage, _ done: @escaping @Sendable () -> Void) {
        let publisher = ObjectIdentifier(image)
        let uses = state.withLock { state in
            state.closed.insert(publisher)
            return state.uses.filter { $0.value.publisher === image }
        }
        let left = Set(uses.filter { $0.value.image?.isQuarantined != false }.keys)
        let (crashed, ready) = state.withLock { state -> ([Use], [@Sendable () -> Void]) in
            state.waiting.append((publisher, done))
            let (crashed, ready) = state.end { number, _ in left.contains(number) }
            return (crashed, ready + state.takeWaiting(for: publisher))
        }
        if let user = crashed.first {
            image.stayMapped(because: "`\(user.userName)` crashed while it used `\(user.name)`")
        }
        for body in ready { body() }
        ask(usersOf: image)
    }

    /// Lets others acquire tables of a publisher again.
    func open(_ image: PluginImage) { _ = state.withLock { $0.closed.remove(ObjectIdentifier(image)) } }

    /// The uses of a publisher's tables, in words.
    func uses(of image: PluginImage) -> [String] {
        state.withLock { state in
            Set(
                state.uses.values.filter { $0.publisher === image }.map {
                    "use of `\($0.name)` by \($0.userName)"
                }
            )
            .sorted()
        }
    }

    /// Whether one of the users uses a table of a publisher.
    func isUsed(_ image: PluginImage, by users: [PluginImage]) -> Bool {
        let ids = Set(users.map { ObjectIdentifier($0) })
        return state.withLock { state in
            state.uses.values.contains { $0.publisher === image && ids.contains($0.user) }
        }
    }

    private func ask(usersOf image: PluginImage, only name: String? = nil) {
        let asked = state.withLock { state in
            state.uses.filter { $0.value.publisher === image && (name == nil || $0.value.name == name) }
        }
        for (number, use) in asked {
            guard let user = use.image, let wanted = use.wanted else { continue }
            let isWanted = state.withLock { state in
                guard state.uses[number]?.isAsked == false else { return false }
                // Under the lock, before the use can end: a caller that waits for the user's work must see it.
                user.work.begin()
                state.uses[number]?.isAsked = true
                return true
            }
            guard isWanted else { continue }
            let isStarted = HostThread.start { [self] in
                if let failure = wanted.call(for: user, as: .wantedBack) { user.log(failure) }
                state.withLock { $0.uses[number]?.isAsked = false }
                user.work.end()
            }
            guard !isStarted else { continue }
            state.withLock { $0.uses[number]?.isAsked = false }
            user.work.end()
        }
    }
}

extension PluginImage {
    /// Lets no plugin acquire tables of this one, asks those that use some to let go, and calls `done` once none
    /// does.
    public func closeTables(_ done: @escaping @Sendable () -> Void) { services.tables.close(self, done) }

    /// Lets other plugins acquire tables of this one again, after `closeTables`.
    public func openTables() { services.tables.open(self) }

    /// The uses of this plugin's tables by others, in words.
    public var tableUses: [String] { services.tables.uses(of: self) }

    /// Whether one of these plugins uses a table of this one.
    public func isUsed(by others: [PluginImage]) -> Bool { services.tables.isUsed(self, by: others) }
}
