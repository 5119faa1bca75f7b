/// A function of a loaded library, by address.
// Safe because code is never unmapped while its image lives, and calling it is the caller's unsafe act.
@safe
public struct FunctionAddress: @unchecked Sendable {
    /// The name it was found by: the symbol, or the effect of a plugin that describes itself.
    public let name: String
    /// The library it belongs to, kept alive.
    public let image: PluginImage
    let pointer: UnsafeRawPointer

    init(name: String, image: PluginImage, pointer: UnsafeRawPointer) {
        (self.name, self.image) = (name, image)
        unsafe self.pointer = pointer
    }
}
