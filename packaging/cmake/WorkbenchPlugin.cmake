# SPDX-License-Identifier: Apache-2.0
# add_workbench_plugin(name KIND evaluator|agent SOURCES … [LIBS …])
# One shared library in <build>/plugins, its metadata read from metadata.json beside the caller's CMakeLists.txt.
function(add_workbench_plugin name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND" "SOURCES;LIBS")
    set(target kernelskill-${arg_KIND}-${name})
    add_library(${target} MODULE ${arg_SOURCES} metadata.json)
    set_property(SOURCE ${arg_SOURCES} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/metadata.json)
    target_link_libraries(${target} PRIVATE kernelskill-core ${arg_LIBS})
    target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,-z,now)
    if(KERNELSKILL_SANITIZE)
        # Sanitizer run times resolve at load, so undefined symbols are expected then.
        target_link_options(${target} PRIVATE -Wl,-z,undefs)
    endif()
    set_target_properties(${target} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${WORKBENCH_PLUGIN_DIR}
        PREFIX ""
        OUTPUT_NAME ${arg_KIND}-${name})
    set_property(GLOBAL APPEND PROPERTY WORKBENCH_PLUGINS ${target})
endfunction()
