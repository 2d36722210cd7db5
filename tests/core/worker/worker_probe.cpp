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
    else std::puts("{\"hello\": \"probe\", \"protocol\": 1}");
    std::fflush(stdout);
    std::fputs("a line of log\n", stderr);
    if (what == "die") return 7;
    if (what == "crash") std::abort();
    if (what == "hang")
        for (;;) pause();
    std::puts("{\"stage\": \"first\"}");
    std::puts("{\"stage\": \"second\"}");
    std::printf("{\"done\": true, \"request\": %s}\n", request.c_str());
    if (what == "late") std::puts("{\"stage\": \"after the end\"}");
    std::fflush(stdout);
    if (what == "linger")
        for (;;) pause();
    return 0;
}
