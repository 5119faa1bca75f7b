/// The version of the inspector, which is that of `spinhost`.
enum InspectorVersion {
    static let text = "0.1.0"
}
