import { GENERIC_HEADER, namedAfterDeployment } from '../component-text.ts';
import type { ManifestFile } from '../manifest-file.ts';

/** The Prometheus Operator scrapes every replica. */
export const prometheus: readonly ManifestFile[] = [
  {
    path: 'components/prometheus/kustomization.yaml',
    text: `${GENERIC_HEADER}#
# A PodMonitor: the cluster needs the Prometheus Operator, or at least its definitions.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources:
  - pod-monitor.yaml
patches:
  - target: { kind: Deployment }
    patch: |
      apiVersion: apps/v1
      kind: Deployment
      metadata:
        name: any
      spec:
        template:
          spec:
            containers:
              - name: proxy # named, so that it is the first
              - name: operator
                ports:
                  - name: metrics # the PodMonitor finds the port by this name
                    containerPort: 8080
${namedAfterDeployment('PodMonitor', 'spec.selector.matchLabels')}`,
  },
  {
    path: 'components/prometheus/pod-monitor.yaml',
    text: `${GENERIC_HEADER}
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor # and no ServiceMonitor: nobody else connects to the Pod, so there is no Service
metadata:
  # The Deployment's, by kustomization.yaml, as is the selector. Quoted, or a name such as 017 would become
  # a number on its way.
  name: "operator"
  namespace: "operator"
spec:
  selector: {}
  podMetricsEndpoints:
    - port: metrics
      path: /metrics
      interval: 30s
`,
  },
];
