// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// Only the program needs other packages. A package that uses a library of this one leaves them out with `traits: []`.
let forProgram: TargetDependencyCondition? = .when(traits: ["Program"])
let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser", condition: forProgram)
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log", condition: forProgram)
let unixSignals: Target.Dependency = .product(
    name: "UnixSignals", package: "swift-service-lifecycle", condition: forProgram)

let package = Package(
    name: "spinhost",
    // What `Mutex`, `Atomic` and task executors need; Linux needs no entry.
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "spinhost", targets: ["spinhost"]),
        .library(name: "HostLoop", targets: ["HostLoop"]),
        .library(name: "HostLoopFlow", targets: ["HostLoopFlow"]),
        .library(name: "HostLoopVocabularies", targets: ["HostLoopVocabularies"]),
        .library(name: "HostLoopTesting", targets: ["HostLoopTesting"]),
        .library(name: "HostLoopOpenCombine", targets: ["HostLoopOpenCombine"]),
        .library(name: "SpinPlugin", targets: ["SpinPlugin"]),
    ],
    traits: [
        .default(enabledTraits: ["Program"]),
        .trait(name: "Program", description: "The program `spinhost`, with the packages that it needs."),
        .trait(
            name: "OpenCombine",
            description: "HostLoopOpenCombine adapts OpenCombine's publishers where there is no Combine."),
    ],
    dependencies: [
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Layer 0: C and C++.
        .target(name: "CPluginABI"),
        .target(name: "CMemoryOrder"),
        .target(name: "CForeignCall", linkerSettings: [.linkedLibrary("ffi")]),
        .target(name: "CLinux"),
        .target(name: "CSandbox"),
        .target(name: "CRing"),
        .target(name: "CToml"),
        .target(name: "CRegex", linkerSettings: [.linkedLibrary("re2")]),
        .target(name: "CSQLite"),
        // Layer 1.
        .target(name: "HostLoop", dependencies: ["CMemoryOrder"], swiftSettings: strict),
        .target(name: "Records", dependencies: ["CForeignCall"], swiftSettings: strict),
        .target(name: "Diagnostics", swiftSettings: strict),
        .target(name: "Sandbox", dependencies: ["CSandbox", "CLinux"], swiftSettings: strict),
        // On top of the engine, for programs in Swift; the executable builds none of them.
        .target(name: "HostLoopFlow", dependencies: ["HostLoop"], swiftSettings: strict),
        .target(
            name: "HostLoopVocabularies", dependencies: ["HostLoop", "HostLoopFlow"], swiftSettings: strict),
        .target(
            name: "HostLoopTesting", dependencies: ["HostLoop", "HostLoopFlow", "HostLoopVocabularies"],
            swiftSettings: strict
        ),
        .target(
            name: "HostLoopOpenCombine",
            dependencies: [
                "HostLoop", "HostLoopFlow",
                .product(
                    name: "OpenCombine", package: "OpenCombine", condition: .when(traits: ["OpenCombine"])),
            ],
            swiftSettings: strict),
        // Layer 2.
        .target(name: "Interfaces", dependencies: ["Records", "Diagnostics"], swiftSettings: strict),
        .target(
            name: "Expressions", dependencies: ["Records", "Diagnostics", "CRegex"], swiftSettings: strict),
        // Layer 3.
        .target(
            name: "PluginHost",
            dependencies: [
                "HostLoop", "Interfaces", "Records", "Diagnostics", "CPluginABI", "CForeignCall", "CLinux",
            ],
            swiftSettings: strict),
        .target(
            name: "Manifest", dependencies: ["CToml", "Interfaces", "Expressions", "Records", "Diagnostics"],
            swiftSettings: strict),
        .target(
            name: "Journal", dependencies: ["HostLoop", "Records", "Diagnostics", "CLinux", "CSQLite"],
            swiftSettings: strict),
        // Layers 4 to 6.
        .target(
            name: "PluginHeader", dependencies: ["Manifest", "Interfaces", "Records"], swiftSettings: strict),
        .target(
            name: "PluginCheck",
            dependencies: [
                "Isolation", "PluginHost", "HostLoop", "Interfaces", "Records", "Diagnostics", "CPluginABI",
            ],
            swiftSettings: strict),
        .target(
            name: "Isolation",
            dependencies: [
                "PluginHost", "Sandbox", "HostLoop", "Interfaces", "Records", "Diagnostics", "CPluginABI",
                "CLinux",
                "CRing",
            ],
            swiftSettings: strict),
        .target(
            name: "App",
            dependencies: [
                "HostLoop", "Isolation", "Sandbox", "Journal", "Manifest", "PluginHost", "Expressions",
                "Interfaces", "Records",
                "Diagnostics", "StandardPlugin",
            ], swiftSettings: strict),
        .target(
            name: "LanguageServer",
            dependencies: ["Manifest", "Interfaces", "Expressions", "Records", "Diagnostics"],
            swiftSettings: strict),
        .target(
            name: "Control", dependencies: ["HostLoop", "PluginHost", "Records", "Diagnostics", "CLinux"],
            swiftSettings: strict),
        .executableTarget(
            name: "spinhost",
            dependencies: [
                "App", "Control", "HostLoop", "Isolation", "Journal", "LanguageServer", "Manifest",
                "PluginCheck",
                "PluginHeader",
                "PluginHost", "Sandbox",
                "Interfaces", "Expressions", "Records", "Diagnostics", "CLinux", argumentParser, logging,
                unixSignals,
            ], swiftSettings: strict),
        // For people who write plugins.
        .target(name: "SpinPlugin", dependencies: ["CPluginABI"], swiftSettings: strict),
        .target(name: "StandardPlugin", dependencies: ["CPluginABI"], path: "plugins/std"),
        // script/bench; nothing depends on them.
        .target(
            name: "References", dependencies: ["CPluginABI"], path: "Benchmarks/References",
            linkerSettings: [.linkedLibrary("ffi")]),
        .executableTarget(name: "EmptyFoundation", path: "Benchmarks/EmptyFoundation"),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "App", "Diagnostics", "Expressions", "HostLoop", "Interfaces", "Isolation", "Journal",
                "Manifest",
                "PluginHost", "Records", "References", "Sandbox",
            ],
            path: "Benchmarks/Bench", swiftSettings: strict),
        // Tests.
        .target(
            name: "TestSupport", dependencies: ["Records"], path: "Tests/TestSupport", swiftSettings: strict),
        .target(
            name: "FuzzTargets",
            dependencies: [
                "App", "HostLoop", "Isolation", "Journal", "PluginHost", "PluginHeader", "Manifest",
                "Interfaces",
                "Expressions", "Records", "Diagnostics", "TestSupport",
            ],
            path: "Tests/FuzzTargets", swiftSettings: strict),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "HostLoopTests",
            dependencies: [
                "HostLoop", "HostLoopFlow", "HostLoopVocabularies", "HostLoopTesting", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HostLoopTestingTests",
            dependencies: [
                "HostLoop", "HostLoopFlow", "HostLoopVocabularies", "HostLoopTesting", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "HostLoopXCTests", dependencies: ["HostLoop", "HostLoopVocabularies", "HostLoopTesting"],
            swiftSettings: strict),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "HostLoop", "HostLoopFlow", "HostLoopVocabularies", "HostLoopTesting", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(name: "RecordsTests", dependencies: ["Records", "TestSupport"], swiftSettings: strict),
        .testTarget(name: "DiagnosticsTests", dependencies: ["Diagnostics"], swiftSettings: strict),
        .testTarget(
            name: "InterfacesTests", dependencies: ["Interfaces", "Records", "Diagnostics", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "ExpressionsTests", dependencies: ["Expressions", "Records", "Diagnostics", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "PluginHostTests",
            dependencies: [
                "PluginHost", "HostLoop", "Interfaces", "Records", "Diagnostics", "StandardPlugin",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "ManifestTests",
            dependencies: ["Manifest", "Interfaces", "Expressions", "Records", "Diagnostics", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "LanguageServerTests",
            dependencies: ["App", "LanguageServer", "Manifest", "Records", "TestSupport"],
            swiftSettings: strict),
        .executableTarget(
            name: "JournalWriter", dependencies: ["Journal"], path: "Tests/JournalWriter",
            swiftSettings: strict),
        .testTarget(
            name: "JournalTests",
            dependencies: ["Journal", "JournalWriter", "HostLoop", "Records", "Diagnostics", "TestSupport"],
            swiftSettings: strict),
        .executableTarget(
            name: "SandboxLauncher", dependencies: ["Sandbox"], path: "Tests/SandboxLauncher",
            swiftSettings: strict),
        .testTarget(
            name: "SandboxTests",
            dependencies: ["Sandbox", "CSandbox", "SandboxLauncher", "TestSupport"],
            swiftSettings: strict),
        .testTarget(
            name: "IsolationTests",
            dependencies: [
                "spinhost", "Isolation", "PluginHost", "Interfaces", "HostLoop", "Sandbox", "CRing",
                "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "PluginHeaderTests",
            dependencies: [
                "PluginHeader", "Manifest", "Interfaces", "Records", "Diagnostics", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "AppTests",
            dependencies: [
                "App", "HostLoop", "HostLoopTesting", "Journal", "Manifest", "PluginHeader", "PluginHost",
                "Records", "Diagnostics", "TestSupport",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "spinhost", "Diagnostics", "Manifest", "PluginCheck", "PluginHost", "Sandbox", "TestSupport",
                argumentParser,
            ],
            swiftSettings: strict),
    ],
    cLanguageStandard: .c11,
    cxxLanguageStandard: .cxx17
)

// script/fuzz: libFuzzer has the `main` of the program, so it is built for it alone.
if Context.environment["SPIN_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzTargets"], path: "Benchmarks/Fuzz",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]))
}

// script/sanitize: the package's test program has chosen tests alone, and builds what they need alone.
if let chosen = Context.environment["SPIN_TESTS"]?.split(separator: " ").map(String.init) {
    package.targets.removeAll { $0.type == .test && !chosen.contains($0.name) }
}
