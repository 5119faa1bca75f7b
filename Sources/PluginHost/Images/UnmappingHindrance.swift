import CForeignCall
import Glibc
import Interfaces

/// Why a library must stay mapped: the host cannot find out whether something points into it.
///
/// Everything that is not known to be harmless is a hindrance. A library is unmapped only if it is C without
/// destructors and needs only the C library. It may use only functions that keep no address from their
/// arguments.
struct UnmappingHindrance: Sendable {
    /// The reason in words, such as "it contains Swift".
    let reason: String
    /// Whether the library may have started threads that run its code.
    let mayHaveThreads: Bool

    init(_ reason: String, mayHaveThreads: Bool = false) {
        (self.reason, self.mayHaveThreads) = (reason, mayHaveThreads)
    }

    /// Finds a hindrance in a library's file; nil if there is none.
    init?(in file: ELFFile) {
        let wanted = file.wantedSymbols
        if let thread = wanted.first(where: Self.startsThreads) {
            self.init("it can start threads (`\(thread)`)", mayHaveThreads: true)
        } else if file.containsSwift {
            self.init("it contains Swift")
        } else if let symbol = file.uniqueSymbols.first {
            self.init("it defines `\(symbol)`, which the process has once")
        } else if file.hasDestructors {
            self.init("it has destructors")
        } else if let library = file.needed.first(where: { !Self.libraries.contains($0) }) {
            self.init("it needs `\(library)`")
        } else if let symbol = wanted.first(where: { !Self.isHarmless($0) }) {
            self.init("it uses `\(symbol)`")
        } else {
            return nil
        }
    }

    private static let libraries: Set<String> = [
        "libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1",
    ]

    private static func startsThreads(_ symbol: String) -> Bool {
        ["pthread_create", "thrd_create", "clone", "clone3", "timer_create", "mq_notify"].contains(symbol)
    }

    /// Whether a function of the C library keeps no address from its arguments. Variables of it may be
    /// harmless, too.
    private static func isHarmless(_ symbol: String) -> Bool {
        if harmless.contains(symbol) { return true }
        // Variants of these functions that check sizes (`_chk`), or follow a later standard.
        for prefix in ["__isoc99_", "__isoc23_"] where symbol.hasPrefix(prefix) {
            return harmless.contains(String(symbol.dropFirst(prefix.count)))
        }
        if symbol.hasPrefix("__"), symbol.hasSuffix("_chk") {
            return harmless.contains(String(symbol.dropFirst(2).dropLast(4)))
        }
        return isMathematical(symbol)
    }

    /// Whether the symbol is in libm, whose functions only compute.
    private static func isMathematical(_ symbol: String) -> Bool {
        // Safe because the names are NUL-terminated copies, and the handle is closed with its last use.
        guard let library = unsafe dlopen("libm.so.6", RTLD_LAZY | RTLD_NOLOAD) else { return false }
        defer { unsafe dlclose(library) }
        guard let address = unsafe dlsym(library, symbol) else { return false }
        return unsafe foreign_image_contains(library, address)
    }

    private static let harmless = Set(
        """
        __cxa_finalize __gmon_start__ _ITM_deregisterTMCloneTable _ITM_registerTMCloneTable __stack_chk_fail __tls_get_addr
        __errno_location __assert_fail abort
        malloc calloc realloc reallocarray free aligned_alloc posix_memalign memalign malloc_usable_size
        memcpy memmove memset memcmp memchr memrchr memmem mempcpy memccpy rawmemchr bcmp bzero explicit_bzero ffs ffsl ffsll
        strlen strnlen strcmp strncmp strcasecmp strncasecmp strcpy strncpy stpcpy stpncpy strlcpy strlcat strcat strncat strchr
        strrchr strchrnul strstr strcasestr strspn strcspn strpbrk strdup strndup strtok_r strsep strcoll strxfrm strverscmp
        strerror strerror_r strerrordesc_np __xpg_strerror_r strsignal
        atoi atol atoll atof strtol strtoll strtoul strtoull strtod strtof strtold strtoimax strtoumax abs labs llabs div ldiv
        lldiv qsort qsort_r bsearch rand srand rand_r random srandom drand48 lrand48 mrand48 srand48 erand48 nrand48 getrandom
        getentropy arc4random arc4random_buf arc4random_uniform
        isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
        __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc
        stdin stdout stderr printf fprintf sprintf snprintf dprintf asprintf vprintf vfprintf vsprintf vsnprintf vdprintf
        vasprintf puts fputs putchar fputc putc fwrite fread fgets fgetc getc getchar ungetc getline getdelim fopen fopen64 fdopen
        fclose fflush fseek ftell fseeko ftello rewind feof ferror clearerr fileno scanf sscanf fscanf vsscanf perror remove rename
        tmpfile mkstemp mkdtemp popen pclose
        open open64 openat close read write pread pwrite readv writev lseek stat fstat lstat fstatat access unlink rmdir mkdir
        opendir readdir closedir pipe pipe2 dup dup2 dup3 fcntl ioctl poll ppoll select fsync fdatasync ftruncate truncate getpid
        getppid getuid geteuid getgid getegid gettid isatty usleep sleep nanosleep clock_nanosleep sched_yield getcwd getenv
        secure_getenv sysconf gethostname uname readlink realpath link symlink chmod
        socket socketpair connect bind listen accept accept4 send recv sendto recvfrom sendmsg recvmsg shutdown setsockopt getsockopt getaddrinfo
        freeaddrinfo gai_strerror getsockname getpeername htons htonl ntohs ntohl inet_ntop inet_pton
        eventfd eventfd_read eventfd_write flock epoll_create1 epoll_ctl epoll_wait timerfd_create timerfd_settime inotify_init1 inotify_add_watch inotify_rm_watch
        time clock clock_gettime clock_getres gettimeofday localtime localtime_r gmtime gmtime_r mktime timegm strftime strptime
        difftime asctime_r ctime_r
        pthread_self pthread_equal pthread_once pthread_mutex_init pthread_mutex_destroy pthread_mutex_lock pthread_mutex_trylock
        pthread_mutex_timedlock pthread_mutex_unlock pthread_cond_init pthread_cond_destroy pthread_cond_wait pthread_cond_timedwait
        pthread_cond_signal pthread_cond_broadcast pthread_rwlock_init pthread_rwlock_destroy pthread_rwlock_rdlock
        pthread_rwlock_wrlock pthread_rwlock_unlock pthread_spin_lock pthread_spin_unlock sem_init sem_destroy sem_wait sem_trywait
        sem_timedwait sem_post sem_getvalue
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
