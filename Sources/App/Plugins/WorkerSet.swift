import Diagnostics
import HostLoop
import Interfaces
import Isolation
import Manifest
import PluginHost
import Sandbox

/// The workers of an app's plugins that are not loaded into this process. May be used from any thread.
final class WorkerSet: Sendable {
    private struct Shared {
        weak var worker: Worker?
    }

    private let program: String?
    private let profile: SandboxProfile?
    private let services: HostServices
    /// The private folders of the processes, made with the first one. Only a rule of the manifest for a folder above it
    /// lets a worker reach those of others.
    private let folders = Lock<StagingDirectory?>(nil)
    /// By the word that the plugins share.
    private let shared = Lock<[String: Shared]>([:])

    /// - Parameters:
    ///   - program: the program that is started; nil if such plugins are refused.
    ///   - profile: learns what its plugins do, to which nothing is refused; nil for the rules of the manifest.
    init(_ program: String?, profile: SandboxProfile?, services: HostServices) {
        (self.program, self.profile, self.services) = (program, profile, services)
    }

    /// Loads a plugin into a worker.
    ///
    /// - Parameters:
    ///   - staged: the copy of its library; nil for a library of the system.
    ///   - folder: of staged libraries.
    ///   - old: the version that it is to replace.
    /// - Throws: as `Worker.load`.
    func load(
        _ model: PluginModel, _ staged: StagedLibrary?, in folder: String, replacing old: PluginImage?
    ) throws(PluginError) -> PluginImage {
        try worker(for: model, [folder] + (staged?.libraryPaths ?? [])).load(
            staged, library: model.location.name, declares: model.declarationsText?.text, replacing: old)
    }

    /// Removes the private folders. No worker can be started afterwards.
    func close() { folders.withLock { $0?.close() } }

    private func worker(for model: PluginModel, _ libraries: [String]) throws(PluginError) -> Worker {
        guard let program else {
            throw PluginError(
                .workerNotStarted, "`\(model.name)` needs a process of its own, and this program starts none")
        }
        guard let word = model.sandbox?.share else {
            return Worker(try setup(model, program, name: model.name, libraries), services: services)
        }
        // A worker cannot read the folder of a later manifest's copies.
        let key = "\(word) \(libraries[0])"
        return try shared.withLock { shared throws(PluginError) in
            if let worker = shared[key]?.worker, !worker.hasEnded { return worker }
            let worker = Worker(try setup(model, program, name: word, libraries), services: services)
            shared = shared.filter { $0.value.worker != nil }
            shared[key] = Shared(worker: worker)
            return worker
        }
    }

    private func setup(
        _ model: PluginModel, _ program: String, name: String, _ libraries: [String]
    ) throws(PluginError) -> WorkerSetup {
        let folder = try folders.withLock { folders throws(PluginError) in
            if let made = folders { return made.path }
            let made = try StagingDirectory(sweeping: { _ in })
            folders = made
            return made.path
        }
        var setup = WorkerSetup(model, program: program, name: name, in: folder, libraries)
        if let onAccess = profile?.begin(model) {
            setup.policy.observation = .profile
            // A profile limits nothing.
            setup.processorTime = nil
            setup.onAccess = onAccess
        }
        return setup
    }
}

extension LibraryLocation {
    /// The path, or the name for the dynamic loader.
    fileprivate var name: String {
        switch self {
        case .file(let path): path
        case .system(let name): name
        }
    }
}

extension WorkerSetup {
    /// What the manifest says of a plugin's process.
    fileprivate init(
        _ model: PluginModel, program: String, name: String, in folder: String, _ libraries: [String]
    ) {
        let rules = model.sandbox ?? SandboxModel()
        self.init(
            program: program, name: name, policy: SandboxPolicy(rules, libraries), folder: folder,
            environment: rules.env, processorTime: rules.cpu,
            cancelGrace: rules.cancelGrace,
            restart: RestartRule(
                backoff: rules.restart.firstBackoff...rules.restart.longestBackoff,
                limit: rules.restart.limit,
                within: rules.restart.within))
    }
}

extension SandboxPolicy {
    /// The rules of the manifest.
    ///
    /// - Parameter libraries: the folder of staged libraries, and the libraries that the plugin's needs.
    init(_ rules: SandboxModel, _ libraries: [String]) {
        var peers = Set(rules.ports.map { Peer.tcp($0) })
        if rules.connectsToUnixSockets { peers.insert(.unix) }
        self.init(
            read: rules.read, write: rules.write, exec: rules.exec, connect: peers,
            listen: Set(rules.listensAt), libraries: libraries,
            // libdispatch ends the process if it cannot read the states of its threads there.
            seesOtherProcesses: true, memory: rules.memory.map { UInt64($0) }, files: rules.files,
            processes: rules.processes, observation: .accesses, isBestEffort: rules.enforcement == .bestEffort
        )
    }
}
