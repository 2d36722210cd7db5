# SPDX-License-Identifier: Apache-2.0
# add_workbench_test(tst_name [SOURCES …] [LIBS …] [TIMEOUT seconds] [WINDOW] [SERIAL] [NEEDS targets…])
# Builds tst_name.cpp (and SOURCES) against LIBS and registers it. WINDOW runs it on a display of its own with a window manager.
function(add_workbench_test name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "WINDOW;SERIAL" "TIMEOUT" "SOURCES;LIBS;NEEDS")
    add_executable(${name} ${name}.cpp ${arg_SOURCES})
    # Only the test itself needs moc, so CMake's automatic one, which compiles a further source in each target, stays off.
    qt_generate_moc(${name}.cpp ${CMAKE_CURRENT_BINARY_DIR}/${name}.moc TARGET ${name})
    target_sources(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${name}.moc)
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
    set_target_properties(${name} PROPERTIES
        AUTOMOC OFF AUTORCC OFF RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_link_libraries(${name} PRIVATE Qt6::Test ${arg_LIBS})
    # What is tested is optimised; the tests themselves compile faster without.
    target_compile_options(${name} PRIVATE -O0)
    if(arg_LIBS MATCHES "workbench-ui")
        workbench_precompile(${name} test-window)
    else()
        workbench_precompile(${name} test-core)
    endif()
    target_compile_definitions(${name} PRIVATE
        SOURCE_DIR="${CMAKE_SOURCE_DIR}" BUILD_DIR="${CMAKE_BINARY_DIR}" TEST_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
    if(arg_NEEDS)
        add_dependencies(${name} ${arg_NEEDS})
    endif()
    if(arg_WINDOW)
        add_test(NAME ${name} COMMAND ${CMAKE_SOURCE_DIR}/tests/support/in-window $<TARGET_FILE:${name}>)
    else()
        add_test(NAME ${name} COMMAND ${name})
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT "QT_QPA_PLATFORM=$<IF:$<BOOL:${arg_WINDOW}>,xcb,offscreen>;QT_SCALE_FACTOR=1;QT_FONT_DPI=96;QT_LOGGING_RULES=;KERNELSKILL_PLUGIN_PATH=${WORKBENCH_PLUGIN_DIR};LC_ALL=C.UTF-8")
    if(arg_SERIAL)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()
