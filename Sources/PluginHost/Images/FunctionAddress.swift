/// The address of a function in a loaded library.
// Safe because code stays mapped while its image lives, and a caller of the address must state its own
// reason.
@safe
public struct FunctionAddress: @unchecked Sendable {
    /// The symbol, or the name of the effect or reducer that the plugin declares.
    public let name: String
    /// The library of the function, which this value keeps alive.
    public let image: PluginImage
    let pointer: UnsafeRawPointer

    init(name: String, image: PluginImage, pointer: UnsafeRawPointer) {
        (self.name, self.image) = (name, image)
        unsafe self.pointer = pointer
    }
}
