/// Effects of plugins that do their work on a thread of their own.
enum ThreadedEffect {
    /// An effect `load` in C that starts a thread with `function`, which gets the call and ends it.
    static func load(by function: String) -> String {
        """
        static void load(spin_call *call) {
            pthread_t thread;
            pthread_create(&thread, NULL, \(function), call);
            pthread_detach(thread);
        }
        """
    }
}
