import type { ManifestsOptions } from './manifests-options.ts';
import { scalar } from './yaml-text.ts';

/** The ambassador, as a plain container of `base/deployment.yaml`. */
export function proxyContainer({ images, stopSeconds }: ManifestsOptions): string {
  return `        - name: proxy # listed first, so that it is started first
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
`;
}
