import type { ManifestsOptions } from './manifests-options.ts';
import { header, scalar } from './yaml-text.ts';

/** Between the end of the operator's budget and the end of the Pod. */
const GRACE_SECONDS = 15;

/** The Lease of an operator of this name: not that of another one in the same namespace. */
export function leaseName(name: string): string {
  return `${name}-leader`;
}

/** `base/deployment.yaml`: the two containers, as plain ones. */
export function deployment(options: ManifestsOptions): string {
  const { modules, images, stopSeconds } = options;
  const name = scalar(options.name);
  return `${header(options.command)}#
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
        - name: proxy # listed first, so that it is started first
          image: ${scalar(images.proxy)} # its entry point refuses every path until proxy-filter.yaml opens some
          env:
            - name: POD_NAMESPACE # the kubelet writes it into the arguments
              valueFrom:
                fieldRef:
                  fieldPath: metadata.namespace
            - name: GOMEMLIMIT # collect garbage before the limit below ends the process
              value: 96MiB
            - name: NO_PROXY # a cluster-wide HTTPS_PROXY must not come between us and the API server
              value: "*"
          volumeMounts:
            - name: credentials
              mountPath: /var/run/secrets/kubernetes.io/serviceaccount
              readOnly: true
          # Only exec can reach loopback. One command tries all of it: process, filter, token, CA, API
          # server. No readinessProbe: the operator's own says whether its requests work.
          startupProbe: # without credentials kubectl would talk to localhost:8080 and not complain
            exec:
              command: [/kubectl, --server=http://127.0.0.1:8001, get, --raw=/version, --request-timeout=3s]
            periodSeconds: 2
            timeoutSeconds: 5
            failureThreshold: 60
          livenessProbe: # slow on purpose: an API server that is away is no reason to restart a proxy
            exec:
              command: [/kubectl, --server=http://127.0.0.1:8001, get, --raw=/version, --request-timeout=3s]
            periodSeconds: 30
            timeoutSeconds: 5
            failureThreshold: 20
          lifecycle:
            preStop:
              sleep: # both containers are told to stop at once, and the operator still has to write
                seconds: ${stopSeconds} # CHANCERY_SHUTDOWN_TIMEOUT below
          resources:
            requests: { cpu: 10m, memory: 32Mi }
            limits: { memory: 128Mi } # no CPU limit: it would slow every request of the operator
          securityContext:
            runAsUser: 65531 # not the operator's: files and /proc of one are closed to the other
            runAsGroup: 65531
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
        - name: operator
          image: ${scalar(images.operator)}
          args:
${modules.map((module) => `            - ${scalar(module)}`).join('\n')}
          env:
            - name: POD_NAMESPACE
              valueFrom:
                fieldRef:
                  fieldPath: metadata.namespace
            - name: POD_NAME
              valueFrom:
                fieldRef:
                  fieldPath: metadata.name
            - name: NODE_NAME
              valueFrom:
                fieldRef:
                  fieldPath: spec.nodeName
            - name: CHANCERY_SELF_TEST # a filter that lets through what it must refuse ends the start
              value: require
            - name: CHANCERY_SHUTDOWN_TIMEOUT # the proxy's preStop and the grace period follow from it
              value: "${stopSeconds}"
${environment(options)}          ports:
            - name: health
              containerPort: 8081
          livenessProbe: # the event loop turns; says nothing about the proxy, whose probes are its own
            httpGet: { path: /healthz, port: health }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe: # every source has its first list, and its requests work
            httpGet: { path: /readyz, port: health }
            periodSeconds: 5
            timeoutSeconds: 5
          resources:
            requests: { cpu: 50m, memory: 96Mi }
            limits: { memory: 256Mi } # no CPU limit: it would delay the renewal of a Lease
          securityContext:
            runAsUser: 65532
            runAsGroup: 65532
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
      volumes:
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
}

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

function environment({ name, leaderElection, installCrds }: ManifestsOptions): string {
  const election = `            - name: CHANCERY_LEADER_ELECTION # a Deployment alone does not promise that only one Pod runs
              value: "true"
            - name: CHANCERY_LEASE_NAME # the only one that the Role and the filter open
              value: ${scalar(leaseName(name))}
`;
  const install = `            - name: CHANCERY_INSTALL_CRDS
              value: "true"
`;
  return `${leaderElection ? election : ''}${installCrds ? install : ''}`;
}
