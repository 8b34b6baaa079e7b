#!/usr/bin/env bash
# Rolls the Deployments whose Pods a ConfigMap selects by its annotation, once for each change of its data.
set -euo pipefail
[[ ${1:-} != --config ]] || exec cat << 'END'
configVersion: v1
kubernetes:
  - {name: configs, kind: ConfigMap, executeHookOnEvent: [Added, Modified], includeSnapshotsFrom: [configs, deployments],
     jqFilter: '[.metadata.annotations["k8spatterns.io/podDeleteSelector"], .data, .binaryData]'}
  - {name: deployments, kind: Deployment, executeHookOnEvent: [Added], executeHookOnSynchronization: false, keepFullObjectsInMemory: false,
     includeSnapshotsFrom: [configs, deployments], jqFilter: '(.metadata | {namespace, name}) + {labels: .spec.template.metadata.labels}'}
END
jq -r '"::: " + (map("\(.watchEvent // .type) \(.object.metadata.name // "")") | join(", ")), (.[-1].snapshots as $all
  | [.[] | if .binding == "deployments" then $all.configs else .objects // [.] end | .[].object]
  | group_by([.metadata.namespace, .metadata.name])[] | last | . as {$metadata, $data, $binaryData}
  | [$metadata.annotations["k8spatterns.io/podDeleteSelector"] // "" | split(",")[] | split("=")] as $terms
  | $all.deployments[].filterResult | .labels as $labels
  | select($terms != [] and .namespace == $metadata.namespace and all($terms[]; length > 1 and $labels[.[0]] == .[-1]))
  | {operation: "MergePatch", apiVersion: "apps/v1", kind: "Deployment", namespace, name, mergePatch: {spec: {template: {metadata:
      {annotations: {"\($metadata.name)/sha256": "HASH"}}}}}}, [$data, $binaryData] | tojson)' "$BINDING_CONTEXT_PATH" | { read -r told; echo "$told"
  while read -r patch && read -r content; do hash=$(sha256sum <<< "$content"); echo "${patch/HASH/${hash:0:16}}"; done | tee "$KUBERNETES_PATCH_PATH"; }
