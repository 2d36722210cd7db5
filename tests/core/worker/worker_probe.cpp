// SPDX-License-Identifier: Apache-2.0
// A worker that keeps or breaks the protocol, as its first argument says.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <unistd.h>

int main(int count, char **words)
{
    const std::string what = count > 1 ? words[1] : "";
    std::string request;
    std::getline(std::cin, request);
    if (what == "rude") std::puts("{\"hello\": \"probe\", \"protocol\": 999}");
    else if (what == "babble") std::puts("Hello, I am a program.");
    else {
        if (what == "chatty") std::puts("Welcome to this machine.");
        std::puts("{\"hello\": \"probe\", \"protocol\": 1, \"version\": \"1.2\"}");
    }
    std::fflush(stdout);
    std::fputs("a line of log\n", stderr);
    if (what == "die") return 7;
    if (what == "crash") std::abort();
    if (what == "hang")
        for (;;) pause();
    std::puts("{\"stage\": \"first\"}");
    std::fflush(stdout);
    if (what == "dawdle")
        for (;;) pause();
    std::puts("{\"stage\": \"second\"}");
    if (what == "listen") {
        std::string beat;
        std::printf("{\"done\": true, \"input\": \"%s\"}\n", std::getline(std::cin, beat) ? "a line" : "its end");
        return 0;
    }
    std::printf("{\"done\": true, \"request\": %s}\n", request.c_str());
    if (what == "late") std::puts("{\"stage\": \"after the end\"}");
    std::fflush(stdout);
    if (what == "linger")
        for (;;) pause();
    return 0;
}
