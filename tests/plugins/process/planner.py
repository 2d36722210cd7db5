#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A planner: the best allowed skill that was not yet tried on this code. Run it with
   kernelskill optimize TASK --cast planner=process --agent-option process.command="python3 planner.py" """
import json
import sys


def say(message):
    print(json.dumps(message), flush=True)


def plan(request):
    allowed = request["retrieval"]["allowed"]  # best first
    refused = " ".join(request["refusals"])
    tried = {attempt["skill"] for attempt in request["attempts"]}
    fresh = [one for one in allowed if one["skill"] not in tried and one["skill"] not in refused]
    if not fresh:
        return {"error": {"code": "plan.none", "message": "everything that is allowed was tried"}}
    best = fresh[0]
    why = f"{best['reason']}; {len(allowed)} allowed, {len(tried)} tried before"
    return {"result": {"skill": best["skill"], "rationale": why}}


say({"kernelskill": 1, "name": "first untried", "roles": ["planner"]})
for line in sys.stdin:
    message = json.loads(line)
    if "request" not in message:
        continue  # something a later version may say
    say({"id": message["id"], "tell": f"choosing for round {message['context']['round']}"})
    say({"id": message["id"], **plan(message["request"])})
