import { GENERIC_HEADER, namedAfterDeployment } from '../component-text.ts';
import type { ManifestFile } from '../manifest-file.ts';

/** Two replicas, on two nodes if there are two, and never both evicted at once. */
export const highAvailability: readonly ManifestFile[] = [
  {
    path: 'components/high-availability/kustomization.yaml',
    text: `${GENERIC_HEADER}#
# One replica works, the other has its caches filled and takes over when the Lease is free. Not without
# leader election: two would do everything twice.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources:
  - pod-disruption-budget.yaml
patches:
  - target: { kind: Deployment }
    patch: |
      apiVersion: apps/v1
      kind: Deployment
      metadata:
        name: any
      spec:
        replicas: 2
        template:
          spec:
            # Wishes, not conditions: two replicas on one node are better than one.
            topologySpreadConstraints:
              - maxSkew: 1
                topologyKey: kubernetes.io/hostname
                whenUnsatisfiable: ScheduleAnyway
                labelSelector: {} # the Deployment's, by the replacement below
                matchLabelKeys: [pod-template-hash] # Pods of the version before do not count
              - maxSkew: 1
                topologyKey: topology.kubernetes.io/zone
                whenUnsatisfiable: ScheduleAnyway
                labelSelector: {}
                matchLabelKeys: [pod-template-hash]
${namedAfterDeployment('PodDisruptionBudget', 'spec.selector.matchLabels')}  - source: { kind: Deployment, fieldPath: spec.selector.matchLabels }
    targets:
      - select: { kind: Deployment }
        fieldPaths: [spec.template.spec.topologySpreadConstraints.*.labelSelector.matchLabels]
        options: { create: true }
`,
  },
  {
    path: 'components/high-availability/pod-disruption-budget.yaml',
    text: `${GENERIC_HEADER}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  # The Deployment's, by kustomization.yaml, as is the selector. Quoted, or a name such as 017 would become
  # a number on its way.
  name: "operator"
  namespace: "operator"
spec:
  maxUnavailable: 1 # and not minAvailable: a node can be drained also while one replica is broken
  unhealthyPodEvictionPolicy: AlwaysAllow # a replica that cannot get ready does not hold up a node
  selector: {}
`,
  },
];
