// swift-tools-version: 6.2
import PackageDescription

// The server of the inspector is a package of its own. So the host neither resolves nor builds swift-nio, and a
// fault of the server lies outside the process that has the loops.

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let nio: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1", "NIOWebSocket"]
    .map { .product(name: $0, package: "swift-nio") }

let package = Package(
    name: "spinhost-inspector",
    platforms: [.macOS(.v15)],
    products: [.executable(name: "spinhost-inspector", targets: ["spinhost-inspector"])],
    dependencies: [.package(url: "https://github.com/apple/swift-nio", from: "2.86.0")],
    targets: [
        .target(
            name: "Inspector", dependencies: nio, resources: [.embedInCode("Page")], swiftSettings: strict),
        .executableTarget(name: "spinhost-inspector", dependencies: ["Inspector"], swiftSettings: strict),
        .testTarget(
            name: "InspectorTests",
            dependencies: ["Inspector"] + nio + [.product(name: "NIOEmbedded", package: "swift-nio")],
            swiftSettings: strict),
    ]
)
