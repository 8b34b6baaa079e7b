import { leaseName } from './lease.ts';
import type { ManifestsOptions } from './manifests-options.ts';
import { scalar } from './yaml-text.ts';

/** The operator, as a container of `base/deployment.yaml`. */
export function operatorContainer(options: ManifestsOptions): string {
  const { images, modules, stopSeconds } = options;
  return `        - name: operator
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
`;
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
