#!/usr/bin/env bash
# A Service for each Pod of a StatefulSet that asks for it. It reads a request, and writes the answer.
set -euo pipefail
jq '
  if .finalizing then {attachments: [], finalized: (.attachments["Service.v1"] == {})}
  else
    .object as $set | $set.metadata.annotations as $asked |
    # 80:8080 is port 80 of the Service and port 8080 of the Pod.
    [$asked["service-per-pod-ports"] | split(",")[] | split(":") | map(tonumber)
      | {name: "port-\(.[0])", port: .[0], targetPort: .[1]}] as $ports |
    {attachments: [range($set.spec.replicas // 1) | "\($set.metadata.name)-\(.)" | {
      apiVersion: "v1", kind: "Service", metadata: {name: ., labels: {app: "service-per-pod"}},
      spec: {selector: {($asked["service-per-pod-label"]): .}, ports: $ports}}]}
  end'
