"""The loop that operators written in Python without a client library are made of.

usage: loop.py URL OBJECTS; the protocol is that of child.ts.
"""

import time

STARTED = time.monotonic()

import json
import re
import sys
import threading
import urllib.request

EXPECTED = {"marker": ""}
COUNTED = {"cpu": 0.0}
LATENCIES = []


def tell(**message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def milliseconds():
    return (time.monotonic() - STARTED) * 1000


def peak_bytes():
    with open("/proc/self/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read()).group(1)) * 1024


def report():
    message = {
        "is": "report",
        "cpuMs": (time.process_time() - COUNTED["cpu"]) * 1000,
        "peakBytes": peak_bytes(),
    }
    if LATENCIES:
        ordered = sorted(LATENCIES)
        rank = lambda share: ordered[max(-int(-len(ordered) * share // 1), 1) - 1]
        message.update(latencyP50Ms=rank(0.5), latencyP99Ms=rank(0.99), latencyMaxMs=ordered[-1])
    tell(**message)


def obey():
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "expect":
            EXPECTED["marker"] = command["marker"]
            tell(**{"is": "ready"})
        elif command["do"] == "reset":
            with open("/proc/self/clear_refs", "w") as clear:
                clear.write("5")
            LATENCIES.clear()
            COUNTED["cpu"] = time.process_time()
            tell(**{"is": "reset"})
        elif command["do"] == "report":
            report()


def handle(item):
    name = item["metadata"]["name"]
    if name == EXPECTED["marker"]:
        tell(**{"is": "seen", "atNs": str(time.monotonic_ns())})
    elif name.startswith("at-"):
        LATENCIES.append((time.monotonic_ns() - int(name[3:])) / 1e6)


def main(url, _objects):
    tell(**{"is": "imported", "ms": milliseconds()})
    threading.Thread(target=obey, daemon=True).start()
    first = True
    synced = False
    cache = {}
    while True:
        with urllib.request.urlopen(url) as response:
            listed = json.load(response)
        version = listed["metadata"]["resourceVersion"]
        for item in listed["items"]:
            cache[item["metadata"]["name"]] = item
            if first:
                first = False
                tell(**{"is": "first", "ms": milliseconds()})
            handle(item)
        if not synced:
            synced = True
            tell(**{"is": "synced", "ms": milliseconds(), "objects": len(cache)})
        with urllib.request.urlopen(f"{url}?watch=1&resourceVersion={version}") as response:
            for line in response:
                event = json.loads(line)
                if event["type"] == "ERROR":
                    break
                item = event["object"]
                cache[item["metadata"]["name"]] = item
                handle(item)


main(*sys.argv[1:])
