#!/usr/bin/env python3
"""Copies Secrets with the label hooks.chancery.dev/copy=yes to the namespaces that have that label.

Keeps the copies equal, and deletes those that are no longer wanted. A Secret of another origin is left alone.
"""
import json
import os
import sys

LABEL = "hooks.chancery.dev/copy"
ORIGIN = "hooks.chancery.dev/copied-from"
SECRET = '{namespace: .metadata.namespace, name: .metadata.name, type, data, origin: .metadata.annotations["%s"]}' % ORIGIN
NAMESPACE = "{name: .metadata.name, ends: (.metadata.deletionTimestamp != null)}"


def binding(name, kind, label, jq_filter):
    selector = {"matchLabels": {LABEL: label}}
    # One group: each run is told the state of all three bindings, whatever has changed.
    more = {"keepFullObjectsInMemory": False, "group": "copies"}
    return {"name": name, "kind": kind, "labelSelector": selector, "jqFilter": jq_filter, **more}


CONFIG = {
    "configVersion": "v1",
    "kubernetes": [
        binding("sources", "Secret", "yes", SECRET),
        binding("namespaces", "Namespace", "yes", NAMESPACE),
        binding("copies", "Secret", "made", SECRET),
    ],
}


def wanted_copies(sources, namespaces):
    """By namespace and name. Of two sources with one name the first counts."""
    wanted = {}
    for source in sources:
        origin = "{namespace}/{name}".format(**source)
        for namespace in namespaces:
            place = (namespace["name"], source["name"])
            if not namespace["ends"] and namespace["name"] != source["namespace"]:
                wanted.setdefault(place, {"type": source["type"], "data": source["data"], "origin": origin})
    return wanted


def patches(sources, namespaces, copies):
    wanted = wanted_copies(sources, namespaces)
    there = {(copy.pop("namespace"), copy.pop("name")): copy for copy in copies}
    for (namespace, name), copy in there.items():
        # The type of a Secret cannot change: its copy is deleted, and made again when that is told.
        if wanted.get((namespace, name), {}).get("type") != copy["type"]:
            named = {"apiVersion": "v1", "kind": "Secret", "namespace": namespace, "name": name}
            yield {"operation": "DeleteInBackground", **named}
    for (namespace, name), copy in wanted.items():
        old = there.get((namespace, name))
        if old == copy or (old is not None and old["type"] != copy["type"]):
            continue
        metadata = {"namespace": namespace, "name": name, "labels": {LABEL: "made"}, "annotations": {ORIGIN: copy["origin"]}}
        secret = {"apiVersion": "v1", "kind": "Secret", "metadata": metadata, "type": copy["type"], "data": copy["data"]}
        yield {"operation": "CreateOrUpdate" if old else "CreateIfNotExists", "object": secret}


if sys.argv[1:] == ["--config"]:
    json.dump(CONFIG, sys.stdout)
else:
    with open(os.environ["BINDING_CONTEXT_PATH"], encoding="utf-8") as file:
        snapshots = json.load(file)[-1]["snapshots"]
    with open(os.environ["KUBERNETES_PATCH_PATH"], "w", encoding="utf-8") as file:
        read = {name: [item["filterResult"] for item in items] for name, items in snapshots.items()}
        for patch in patches(**read):
            print(json.dumps(patch), file=file)
