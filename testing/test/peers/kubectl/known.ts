const OLD_FLAG = 'a flag or command that kubectl has no more';

/** Functions that are not run: what they need is not there, whatever the API server does. */
export const OUTSIDE: Readonly<Record<string, string>> = {
  run_kubectl_version_tests: `${OLD_FLAG}: \`version --short\``,
  run_nodes_tests:
    'a kubelet, which says what the Node is like. It fails against a real kube-apiserver, too',
  run_cluster_management_tests:
    'a kubectl that prints managedFields without being asked. It fails against a real kube-apiserver, too',
  run_service_tests: `${OLD_FLAG}: \`run --service-overrides\``,
  run_kubectl_create_error_tests: `${OLD_FLAG}: \`convert\``,
  run_recursive_resources_tests: `${OLD_FLAG}: \`convert\``,
  run_kubectl_get_tests:
    'the log lines of `kubectl -v=6`, which have changed, and `autoscaling/v1` as the preferred version',
  run_multi_resources_tests: 'the internet: it applies a file from GitHub',
  run_exec_credentials_tests: 'authentication by client certificates',
};

/** Functions that fail, with the reason: none now. */
export const FAILING: Readonly<Record<string, string>> = {};
