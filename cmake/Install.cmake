# The header, the Swift face, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/Spinhost")
install(DIRECTORY Sources/CPluginABI/include/ TYPE INCLUDE)
install(DIRECTORY Sources/SpinPlugin/ DESTINATION "${CMAKE_INSTALL_DATADIR}/spinhost/SpinPlugin")
install(TARGETS spinhost_plugin EXPORT SpinhostTargets)
install(EXPORT SpinhostTargets NAMESPACE Spinhost:: DESTINATION "${package_directory}")
