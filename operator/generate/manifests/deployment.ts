import type { ManifestsOptions } from './manifests-options.ts';
import { operatorContainer } from './operator-container.ts';
import { proxyContainer } from './proxy-container.ts';
import { header, scalar } from './yaml-text.ts';

/** Between the end of the operator's budget and the end of the Pod. */
const GRACE_SECONDS = 15;

/** `base/deployment.yaml`: the two containers, as plain ones. */
export function deployment(options: ManifestsOptions): string {
  const { command, stopSeconds } = options;
  const name = scalar(options.name);
  return `${header(command)}#
# Two containers: \`proxy\` holds the credentials and speaks TLS, \`operator\` holds nothing and speaks plain
# HTTP to 127.0.0.1:8001. Needs Kubernetes 1.30, for preStop.sleep; with the component native-sidecar, 1.29.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
  labels:
    app.kubernetes.io/name: ${name}
spec:
${replicas(options)}
  selector:
    matchLabels:
      app.kubernetes.io/name: ${name}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: ${name}
      annotations:
        kubectl.kubernetes.io/default-container: operator
    spec:
      serviceAccountName: ${name}
      automountServiceAccountToken: false # or every container would see the token
      enableServiceLinks: false
      shareProcessNamespace: false # /proc would lead to the token
      terminationGracePeriodSeconds: ${stopSeconds + GRACE_SECONDS} # > the operator's budget and the proxy's preStop
      securityContext:
        runAsNonRoot: true
        seccompProfile:
          type: RuntimeDefault
      containers:
${proxyContainer(options)}${operatorContainer(options)}${VOLUMES}`;
}

/** The ambassador's credentials, where kubectl looks for them. */
const VOLUMES = `      volumes:
        - name: credentials
          projected:
            sources:
              - serviceAccountToken:
                  path: token
                  expirationSeconds: 3600 # 3607 would mean a year: the API server takes it for an old client
              - configMap:
                  name: kube-root-ca.crt
                  items:
                    - key: ca.crt
                      path: ca.crt
              - downwardAPI:
                  items:
                    - path: namespace
                      fieldRef:
                        fieldPath: metadata.namespace
`;

function replicas({ leaderElection }: ManifestsOptions): string {
  return leaderElection
    ? `  replicas: 1 # the Lease keeps it at one that works, also while a lost node keeps its Pod alive
  strategy:
    type: RollingUpdate
    rollingUpdate: # the new Pod fills its caches and waits for the Lease before the old one gives it back
      maxSurge: 1
      maxUnavailable: 0`
    : `  replicas: 1 # there is no leader election: two would do everything twice
  strategy:
    type: Recreate # for the same reason`;
}
