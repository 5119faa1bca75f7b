import Glibc
import References

/// The effect of `Benchmarks/plugins/step.c`, as a C program finds it.
enum StepFunction {
    static func address(in library: String) -> UnsafeMutableRawPointer? {
        // Safe because the plugin was built for this benchmark, and its table has the header's type.
        let handle = unsafe dlopen(library, RTLD_NOW | RTLD_LOCAL)
        guard let table = unsafe dlsym(handle, "spin_entry"),
            let function = unsafe reference_effect_function(table, "step_toward")
        else { preconditionFailure("step.so has the effect") }
        return unsafe function
    }
}
