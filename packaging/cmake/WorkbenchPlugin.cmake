# SPDX-License-Identifier: Apache-2.0
# add_workbench_plugin(name KIND evaluator|agent SOURCES … [LIBS …])
# One shared library in <build>/plugins, its metadata read from metadata.json beside the caller's CMakeLists.txt.

# The ABI tag: what must agree between the program and a plugin, since they exchange C++ types. The manager compares it
# before any code of the plugin runs. A changed public header configures again, so that the tag never lags behind.
function(workbench_make_abi_tag)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/*.h)
    list(SORT headers)
    set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
    set(digests "")
    foreach(header IN LISTS headers)
        file(SHA256 ${header} digest)
        string(APPEND digests ${digest})
    endforeach()
    string(SHA256 digest "${digests}")
    string(SUBSTRING ${digest} 0 16 digest)
    set(sanitizer "${KERNELSKILL_SANITIZE}")
    if(NOT sanitizer)
        set(sanitizer none)
    endif()
    string(CONCAT tag "kernelskill ${PROJECT_VERSION}, ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}, "
        "Qt ${Qt6Core_VERSION}, sanitizer ${sanitizer}, headers ${digest}")
    # What moc made of plugins with another tag goes: Ninja's view of moc does not see a changed option by itself.
    set(tag_file ${CMAKE_BINARY_DIR}/abi_tag.txt)
    set(previous "")
    if(EXISTS ${tag_file})
        file(READ ${tag_file} previous)
    endif()
    if(NOT previous STREQUAL "${tag}\n")
        file(GLOB_RECURSE stale ${CMAKE_BINARY_DIR}/plugins/*.moc ${CMAKE_BINARY_DIR}/plugins/timestamp
            ${CMAKE_BINARY_DIR}/tests/core/plugin/*.moc ${CMAKE_BINARY_DIR}/tests/core/plugin/timestamp)
        if(stale)
            file(REMOVE ${stale})
        endif()
        file(WRITE ${tag_file} "${tag}\n")
    endif()
    set(WORKBENCH_ABI_TAG "${tag}" PARENT_SCOPE)
endfunction()
workbench_make_abi_tag()

# Has moc write the pair abi=<tag> beside the metadata of the target's plugin. Changed options alone run moc too late for
# what includes its output, so moc and those objects depend on the file of the tag.
function(workbench_tag_plugin target tag)
    set_target_properties(${target} PROPERTIES
        AUTOMOC_MOC_OPTIONS "-Mabi=${tag}"
        AUTOGEN_TARGET_DEPENDS ${CMAKE_BINARY_DIR}/abi_tag.txt)
    set(dependents ${CMAKE_CURRENT_BINARY_DIR}/${target}_autogen/mocs_compilation.cpp)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        if(source MATCHES "\\.cpp$")
            file(STRINGS ${source} plugin REGEX Q_PLUGIN_METADATA)
            if(plugin)
                list(APPEND dependents ${source})
            endif()
        endif()
    endforeach()
    set_property(SOURCE ${dependents} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/abi_tag.txt)
endfunction()

function(add_workbench_plugin name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND" "SOURCES;LIBS")
    set(target kernelskill-${arg_KIND}-${name})
    add_library(${target} MODULE ${arg_SOURCES} metadata.json)
    set_property(SOURCE ${arg_SOURCES} APPEND PROPERTY OBJECT_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/metadata.json)
    target_link_libraries(${target} PRIVATE kernelskill-core ${arg_LIBS})
    workbench_precompile(${target} core)
    target_link_options(${target} PRIVATE -Wl,-z,defs -Wl,-z,now)
    if(KERNELSKILL_SANITIZE)
        # Sanitizer run times resolve at load, so undefined symbols are expected then.
        target_link_options(${target} PRIVATE -Wl,-z,undefs)
    endif()
    set_target_properties(${target} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${WORKBENCH_PLUGIN_DIR}
        PREFIX ""
        OUTPUT_NAME ${arg_KIND}-${name})
    workbench_tag_plugin(${target} "${WORKBENCH_ABI_TAG}")
    set_property(GLOBAL APPEND PROPERTY WORKBENCH_PLUGINS ${target})
endfunction()
