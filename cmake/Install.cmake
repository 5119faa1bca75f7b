# Installs the header, the sources of the Swift module, a CMake package and a pkg-config file. Nothing depends
# on the machine. `find_package(Spinhost)` also finds the build folder, so you need not install anything.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(shared "${CMAKE_INSTALL_DATADIR}/spinhost")
set(package "${CMAKE_INSTALL_DATADIR}/cmake/Spinhost")

install(DIRECTORY Sources/CPluginABI/include/spinhost TYPE INCLUDE)
install(DIRECTORY Sources/SpinPlugin DESTINATION "${shared}")
install(FILES bindings/rust/Cargo.toml DESTINATION "${shared}/rust")
install(DIRECTORY bindings/rust/src DESTINATION "${shared}/rust")
install(DIRECTORY bindings/swift bindings/zig DESTINATION "${shared}")

# The module map is not beside the header: in a shared include folder it would apply to all headers there.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_DATADIR}/spinhost"
           OUTPUT_VARIABLE include_from_shared)
file(CONFIGURE OUTPUT module.modulemap
     CONTENT "module CPluginABI { header \"@include_from_shared@/spinhost/plugin.h\" export * }\n" @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/module.modulemap" DESTINATION "${shared}")

install(TARGETS spinhost_plugin EXPORT SpinhostTargets INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT SpinhostTargets NAMESPACE Spinhost:: DESTINATION "${package}")
configure_package_config_file(cmake/SpinhostConfig.cmake.in installed/SpinhostConfig.cmake
                              INSTALL_DESTINATION "${package}" PATH_VARS shared)
write_basic_package_version_file(SpinhostConfigVersion.cmake COMPATIBILITY SameMajorVersion ARCH_INDEPENDENT)
install(FILES cmake/SpinhostAddPlugin.cmake "${CMAKE_CURRENT_BINARY_DIR}/installed/SpinhostConfig.cmake"
              "${CMAKE_CURRENT_BINARY_DIR}/SpinhostConfigVersion.cmake" DESTINATION "${package}")

cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig"
           OUTPUT_VARIABLE include_from_pkgconfig)
configure_file(cmake/spinhost.pc.in spinhost.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/spinhost.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")

# `zig build` reads this folder as it reads that of an installation.
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/${shared}")
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/Sources/CPluginABI/include" "${PROJECT_BINARY_DIR}/include" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/bindings/zig" "${PROJECT_BINARY_DIR}/${shared}/zig" SYMBOLIC)

export(EXPORT SpinhostTargets NAMESPACE Spinhost:: FILE SpinhostTargets.cmake)
file(CONFIGURE OUTPUT SpinhostConfig.cmake
     CONTENT "include(\"@PROJECT_BINARY_DIR@/SpinhostTargets.cmake\")
set_property(GLOBAL PROPERTY SPINHOST_MODULE_MAP \"@PROJECT_SOURCE_DIR@/Sources/CPluginABI/include\")
set_property(GLOBAL PROPERTY SPINHOST_SWIFT_SOURCES \"@PROJECT_SOURCE_DIR@/Sources/SpinPlugin\")
set_property(GLOBAL PROPERTY SPINHOST_BINDINGS \"@PROJECT_SOURCE_DIR@/bindings\")
set_property(GLOBAL PROPERTY SPINHOST_PREFIX \"@PROJECT_BINARY_DIR@\")
include(\"@PROJECT_SOURCE_DIR@/cmake/SpinhostAddPlugin.cmake\")
" @ONLY)
