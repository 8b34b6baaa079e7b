#!/usr/bin/env python3
"""A CatSet as an HTTP server: numbered Pods that start one after another, with volume claims."""

import copy
import json
import os
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def sync(request):
    """Both hooks: a CatSet that is finalized is one with no replicas."""
    parent, finalizing = request["parent"], request["finalizing"]
    replicas = 0 if finalizing else parent["spec"]["replicas"]
    pods = by_ordinal(request["children"]["Pod.v1"], parent["metadata"]["name"])
    ready = 0
    while ready < replicas and is_ready(pods.get(ready)):
        ready += 1
    wanted = set(pods)
    if ready < replicas:
        wanted.add(ready)
    if ready == replicas and max(wanted, default=-1) >= replicas:
        wanted.remove(max(wanted))
    answer = {
        "status": {"replicas": len(pods), "readyReplicas": ready},
        # The highest number first: a rolling update goes in this order.
        "children": [pod_of(parent, ordinal) for ordinal in sorted(wanted, reverse=True)]
        + claims_of(parent, request["children"]["PersistentVolumeClaim.v1"], replicas),
    }
    if finalizing:
        answer["finalized"] = not pods
    return answer


def by_ordinal(objects, base):
    """Objects that are named BASE-NUMBER, by their number. The keys differ between v1 and v2."""
    found = {}
    for each in objects.values():
        match = re.fullmatch(re.escape(base) + r"-(\d+)", each["metadata"]["name"])
        if match:
            found[int(match[1])] = each
    return found


def is_ready(pod):
    if pod is None or "deletionTimestamp" in pod["metadata"]:
        return False
    status = pod.get("status", {})
    conditions = {each["type"]: each["status"] for each in status.get("conditions", [])}
    return status.get("phase") == "Running" and conditions.get("Ready") == "True"


def pod_of(parent, ordinal):
    spec = parent["spec"]
    pod = copy.deepcopy(spec["template"])
    # It is the host name, which has 63 characters: a longer name of a CatSet is refused, and told on it.
    name = f"{parent['metadata']['name']}-{ordinal}"
    pod.update(apiVersion="v1", kind="Pod")
    pod.setdefault("metadata", {})["name"] = name
    pod["spec"]["hostname"] = name
    if "serviceName" in spec:
        pod["spec"]["subdomain"] = spec["serviceName"]
    for claim in spec.get("volumeClaimTemplates", []):
        volume = claim["metadata"]["name"]
        source = {"claimName": f"{volume}-{name}"}
        pod["spec"].setdefault("volumes", []).append(
            {"name": volume, "persistentVolumeClaim": source}
        )
    return pod


def claims_of(parent, observed, replicas):
    """A claim for each Pod; one that is left from a Pod stays until the CatSet goes."""
    claims = []
    for template in parent["spec"].get("volumeClaimTemplates", []):
        base = f"{template['metadata']['name']}-{parent['metadata']['name']}"
        for ordinal in sorted({*range(replicas), *by_ordinal(observed, base)}):
            claim = copy.deepcopy(template)
            claim.update(apiVersion="v1", kind="PersistentVolumeClaim")
            claim["metadata"]["name"] = f"{base}-{ordinal}"
            claims.append(claim)
    return claims


class Hooks(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if self.path != "/sync":
            return self.send_error(404)
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = json.dumps(sync(request)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = ThreadingHTTPServer((os.environ.get("HOST", "127.0.0.1"), int(os.environ.get("PORT", "8088"))), Hooks)
    print(f"http://{server.server_address[0]}:{server.server_address[1]}", flush=True)
    server.serve_forever()
