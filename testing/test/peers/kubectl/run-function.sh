#!/usr/bin/env bash
# Runs one function of test/cmd, as runTests of the repository does, against a server that is there already.
#
# It is started in the root of a copy of the repository. The environment has
#   PEER_FUNCTION     name of the function
#   PEER_KUBECTL      path of kubectl
#   PEER_TOKEN        bearer token of an administrator
#   SECURE_API_PORT   port of the server on 127.0.0.1, with TLS
set -o errexit
set -o nounset
set -o pipefail

# The repository's own settings: kubectl may be of another minor than the server.
export ALLOW_SKEW=true
export WHAT=peer
SUPPORTED_RESOURCES=("*")

source hack/lib/init.sh
source hack/lib/test.sh
source test/cmd/legacy-script.sh

mkdir -p "${KUBE_OUTPUT_HOSTBIN}"
ln -sf "${PEER_KUBECTL}" "${KUBE_OUTPUT_HOSTBIN}/kubectl"

# What setup() does after it has built kubectl and started etcd.
kube::util::ensure-temp-dir
export HOME="${KUBE_TEMP}"
kube::util::ensure-gnu-sed
CONTEXT="test"
kubectl config set-credentials test-admin --token "${PEER_TOKEN}"
kubectl config set-cluster local --insecure-skip-tls-verify --server "https://127.0.0.1:${SECURE_API_PORT}"
kubectl config set-context "${CONTEXT}" --user test-admin --cluster local
kubectl config use-context "${CONTEXT}"

# What create_node() of test-cmd.sh does.
kubectl create -f - << __EOF__ || kubectl get node 127.0.0.1
{"kind": "Node", "apiVersion": "v1", "metadata": {"name": "127.0.0.1"}, "status": {"capacity": {"memory": "1Gi"}}}
__EOF__

# runTests calls it once, because of WHAT. The repository's own writes a report, and goes on with what follows.
record_command() {
  # Most functions make a namespace of their own. The others begin in the one of the function before them.
  create_and_use_new_namespace
  set +o nounset
  set +o errexit
  (eval "${PEER_FUNCTION}")
  exit "$?"
}

runTests
exit 1
