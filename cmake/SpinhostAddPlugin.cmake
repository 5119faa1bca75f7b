# spinhost_add_plugin(NAME SOURCES file… [HEADER file])
#
# Adds the plugin NAME.so, a loadable module without the prefix `lib`. Its sources may be C, C++ and Swift,
# mixed. Swift files may `import SpinPlugin`, whose macros describe the plugin. Their module has the name NAME,
# so NAME must be unique among the plugins of a host. Swift files see what HEADER declares. NAME is an ordinary
# target for further settings: target_link_libraries(NAME PRIVATE …).
function(spinhost_add_plugin name)
    cmake_parse_arguments(PARSE_ARGV 1 plugin "" "HEADER" "SOURCES")
    if(NOT plugin_SOURCES OR DEFINED plugin_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "write spinhost_add_plugin(NAME SOURCES file…), with at least one source")
    endif()

    add_library(${name} MODULE ${plugin_SOURCES})
    set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so")
    target_link_libraries(${name} PRIVATE Spinhost::plugin)

    # Flags are per language: swiftc refuses -fvisibility=hidden, and clang refuses -fno-gnu-unique. With
    # unique symbols a library could never be unmapped, and would share its static variables with its next
    # version.
    target_compile_options(
        ${name} PRIVATE "$<$<COMPILE_LANGUAGE:C,CXX>:-fvisibility=hidden>"
                        "$<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fno-gnu-unique>")
    # The linker reports a missing symbol here, before the host loads the plugin.
    target_link_options(${name} PRIVATE "LINKER:-z,defs")

    set(swift_sources ${plugin_SOURCES})
    list(FILTER swift_sources INCLUDE REGEX "\\.swift$")
    if(swift_sources)
        spinhost_add_swift_module()
        # The table of a plugin whose macros are those of Swift. A plugin with SPIN_PLUGIN in C has its own.
        target_link_libraries(${name} PRIVATE SpinPlugin SpinPluginEntry)
        target_link_options(${name} PRIVATE "LINKER:-u,spin_entry")
        set_property(SOURCE ${swift_sources} APPEND PROPERTY OBJECT_DEPENDS "${CMAKE_BINARY_DIR}/SpinPlugin/SpinPluginMacros")
        set_target_properties(${name} PROPERTIES Swift_MODULE_NAME ${name})
        target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:Swift>:SHELL:-swift-version 6>")
        # An incremental build of Swift does not link again when only a C file has changed.
        string(REPLACE " -incremental" "" rule "${CMAKE_Swift_CREATE_SHARED_MODULE}")
        set(CMAKE_Swift_CREATE_SHARED_MODULE "${rule}" PARENT_SCOPE)
        if(plugin_HEADER)
            cmake_path(ABSOLUTE_PATH plugin_HEADER)
            target_compile_options(${name} PRIVATE "$<$<COMPILE_LANGUAGE:Swift>:-import-objc-header>"
                                                   "$<$<COMPILE_LANGUAGE:Swift>:${plugin_HEADER}>")
            set_property(SOURCE ${swift_sources} APPEND PROPERTY OBJECT_DEPENDS "${plugin_HEADER}")
        endif()
    endif()
endfunction()

# spinhost_add_rust_plugin(NAME)
#
# Adds the plugin NAME.so, and the target NAME. Cargo builds the plugin from the package NAME in this folder, a
# `cdylib` whose Cargo.toml has the dependency `spinhost = "2"`: that is the crate which comes with the host. A
# Cargo.lock with both packages beside it keeps Cargo from asking the network.
function(spinhost_add_rust_plugin name)
    find_program(SPINHOST_CARGO cargo REQUIRED DOC "builds plugins in Rust")
    get_property(bindings GLOBAL PROPERTY SPINHOST_BINDINGS)
    set(target "${CMAKE_CURRENT_BINARY_DIR}/cargo")
    set(plugin "${CMAKE_CURRENT_BINARY_DIR}/${name}.so")
    # Cargo knows what has changed.
    add_custom_target(
        ${name} ALL
        COMMAND "${SPINHOST_CARGO}" build --quiet --release --target-dir "${target}" --config
                "patch.crates-io.spinhost.path=\"${bindings}/rust\""
        COMMAND "${CMAKE_COMMAND}" -E copy_if_different "${target}/release/lib${name}.so" "${plugin}"
        BYPRODUCTS "${plugin}"
        WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
        COMMENT "Building ${name}.so with Cargo"
        VERBATIM)
endfunction()

# spinhost_add_zig_plugin(NAME)
#
# Adds the plugin NAME.so, and the target NAME. `zig build` makes the plugin in this folder: its build.zig installs
# NAME.so, and finds the header and the module `spinhost` of Zig in the folder that `-Dspinhost=` names.
function(spinhost_add_zig_plugin name)
    # The package `ziglang` of Python calls it `python-zig`.
    find_program(SPINHOST_ZIG NAMES zig python-zig REQUIRED DOC "builds plugins in Zig")
    execute_process(COMMAND "${SPINHOST_ZIG}" version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT version VERSION_GREATER_EQUAL 0.17)
        set(found "${SPINHOST_ZIG}")
        unset(SPINHOST_ZIG CACHE) # the next run looks for it again
        message(FATAL_ERROR "plugins in Zig need Zig 0.17; `${found} version` says `${version}`")
    endif()
    get_property(prefix GLOBAL PROPERTY SPINHOST_PREFIX)
    # Zig knows what has changed.
    add_custom_target(
        ${name} ALL
        COMMAND "${SPINHOST_ZIG}" build --release --prefix "${CMAKE_CURRENT_BINARY_DIR}" --cache-dir
                "${CMAKE_CURRENT_BINARY_DIR}/zig" "-Dspinhost=${prefix}"
        BYPRODUCTS "${CMAKE_CURRENT_BINARY_DIR}/${name}.so"
        WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
        COMMENT "Building ${name}.so with Zig"
        VERBATIM)
endfunction()

# Adds the Swift module `SpinPlugin` once, with the program that expands its macros. The compiler of the project
# that uses them builds both.
function(spinhost_add_swift_module)
    if(TARGET SpinPlugin)
        return()
    endif()
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT "Swift" IN_LIST languages OR NOT "C" IN_LIST languages OR NOT CMAKE_GENERATOR MATCHES "Ninja")
        message(FATAL_ERROR "Swift plugins need project(… LANGUAGES C Swift) and the Ninja generator: `cmake -G Ninja`.")
    endif()
    get_property(source_directory GLOBAL PROPERTY SPINHOST_SWIFT_SOURCES)
    get_property(bindings GLOBAL PROPERTY SPINHOST_BINDINGS)
    get_property(module_map GLOBAL PROPERTY SPINHOST_MODULE_MAP)
    set(output "${CMAKE_BINARY_DIR}/SpinPlugin")
    file(MAKE_DIRECTORY "${output}")

    file(GLOB sources CONFIGURE_DEPENDS "${bindings}/swift/macros/*.swift")
    # A whole module at once: CMake's rule for executables of Swift links again in each build.
    set(macros_program "${output}/SpinPluginMacros")
    add_custom_command(
        OUTPUT "${macros_program}"
        COMMAND "${CMAKE_Swift_COMPILER}" -swift-version 6 -strict-memory-safety -O -whole-module-optimization
                -module-name SpinPluginMacros -o "${macros_program}" ${sources}
        DEPENDS ${sources}
        COMMENT "Building the macros of SpinPlugin"
        VERBATIM)
    add_custom_target(SpinPluginMacros DEPENDS "${macros_program}")

    add_library(SpinPluginEntry STATIC EXCLUDE_FROM_ALL "${bindings}/swift/entry.c")
    set_target_properties(SpinPluginEntry PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden
                                                     ARCHIVE_OUTPUT_DIRECTORY "${output}")
    target_link_libraries(SpinPluginEntry PRIVATE Spinhost::plugin)

    file(GLOB sources CONFIGURE_DEPENDS "${source_directory}/*.swift")
    add_library(SpinPlugin STATIC EXCLUDE_FROM_ALL ${sources} "${bindings}/swift/Macros.swift")
    set_target_properties(SpinPlugin PROPERTIES Swift_MODULE_NAME SpinPlugin Swift_MODULE_DIRECTORY "${output}"
                                                ARCHIVE_OUTPUT_DIRECTORY "${output}")
    target_include_directories(SpinPlugin PUBLIC "${module_map}" INTERFACE "${output}")
    target_link_libraries(SpinPlugin PUBLIC Spinhost::plugin)
    target_compile_options(
        SpinPlugin
        PRIVATE "SHELL:-swift-version 6" "SHELL:-enable-upcoming-feature InternalImportsByDefault"
                "SHELL:-enable-upcoming-feature MemberImportVisibility" -strict-memory-safety
        PUBLIC "$<$<COMPILE_LANGUAGE:Swift>:-load-plugin-executable>"
               "$<$<COMPILE_LANGUAGE:Swift>:${macros_program}#SpinPluginMacros>")
    add_dependencies(SpinPlugin SpinPluginMacros)
endfunction()
