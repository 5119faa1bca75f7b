// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let hostLoop: [Target.Dependency] = [
    .product(name: "HostLoop", package: "spinhost"), .product(name: "HostLoopFlow", package: "spinhost"),
]
let openCombine: [Target.Dependency] = [
    .product(name: "HostLoopOpenCombine", package: "spinhost"), "OpenCombine",
]

// The adapters to other libraries, used as a program outside of the package uses them. So the package itself builds none
// of those libraries.
let package = Package(
    name: "Adapters",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "spinhost", path: "../..", traits: ["OpenCombine"]),
        .package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0"),
        .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    ],
    targets: [
        // The programs of the articles.
        .executableTarget(
            name: "Publishers", dependencies: hostLoop + openCombine, path: "Publishers",
            swiftSettings: strict),
        .executableTarget(
            name: "AsyncAlgorithmsUse",
            dependencies: hostLoop + [
                .product(name: "AsyncAlgorithms", package: "swift-async-algorithms")
            ],
            path: "AsyncAlgorithms", swiftSettings: strict),
        .testTarget(
            name: "AdapterTests",
            dependencies: hostLoop + openCombine + ["Publishers", "AsyncAlgorithmsUse"],
            swiftSettings: strict),
    ]
)
