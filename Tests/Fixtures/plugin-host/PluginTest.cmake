# add_plugin_test(NAME [INSTANCES] LIBRARIES target… [SHARED file…])
#
# Adds the test NAME_test.c of the plugin NAME, with all of its sources and a host in one program, and the same once
# more under each sanitizer, which so sees the plugin's threads. SHARED are its sources in other folders of plugins/.
# Further *.c files beside the test belong to it. With INSTANCES it has the functions of plugin-host/instances.h.
function(add_plugin_test name)
    add_plugin_test_program(${name} ${name}_test "" ${ARGN})
    if(SPINHOST_SANITIZED_TESTS AND SPINHOST_HAS_SANITIZERS)
        add_plugin_test_program(
            ${name} ${name}_test_sanitized "-fsanitize=address,undefined;-fno-sanitize-recover=all" ${ARGN})
    endif()
    if(SPINHOST_SANITIZED_TESTS AND SPINHOST_HAS_THREAD_SANITIZER)
        add_plugin_test_program(${name} ${name}_test_threads "-fsanitize=thread" ${ARGN})
    endif()
endfunction()

function(add_plugin_test_program name program flags)
    cmake_parse_arguments(PARSE_ARGV 3 test "INSTANCES" "" "LIBRARIES;SHARED")
    file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/plugins/${name}/*.c"
         "${PROJECT_SOURCE_DIR}/plugins/${name}/*/*.c" "${CMAKE_CURRENT_SOURCE_DIR}/*.c"
         "${CMAKE_CURRENT_SOURCE_DIR}/*/*.c")
    list(TRANSFORM test_SHARED PREPEND "${PROJECT_SOURCE_DIR}/plugins/")
    set(host "${PROJECT_SOURCE_DIR}/Tests/Fixtures/plugin-host")
    add_executable(${program} ${sources} ${test_SHARED} "${host}/counts.c" "${host}/host.c" "${host}/log.c"
                   "${host}/plugin.c" "${host}/polls/polls.c" "${host}/polls/thread.c"
                   "${host}/polls/timers.c" "${host}/polls/watched.c" "${host}/programs.c"
                   "${host}/saved.c" "${host}/threads.c" "${host}/work.c")
    if(test_INSTANCES)
        target_sources(${program} PRIVATE "${host}/instances.c")
    endif()
    target_include_directories(${program} PRIVATE "${PROJECT_SOURCE_DIR}/plugins/${name}")
    target_link_libraries(${program} PRIVATE Spinhost::plugin ${test_LIBRARIES})
    target_compile_options(${program} PRIVATE ${flags})
    target_link_options(${program} PRIVATE ${flags})
    add_test(NAME ${program} COMMAND ${program})
    # A test that hangs ends here, with its output, and not with the whole run.
    set_tests_properties(${program} PROPERTIES TIMEOUT 300)
endfunction()
