import { GENERIC_HEADER } from '../component-text.ts';
import type { ManifestFile } from '../manifest-file.ts';

/**
 * The ambassador as a native sidecar. Two steps, because kustomize replaces after it has patched: the
 * component within copies the finished container, and what it is copied from goes afterwards.
 */
export const nativeSidecar: readonly ManifestFile[] = [
  {
    path: 'components/native-sidecar/kustomization.yaml',
    text: `${GENERIC_HEADER}#
# The ambassador is a native sidecar (Kubernetes 1.29): the operator starts when one request got through all
# of it, and the ambassador stops when the operator is gone. Listed last: what other components
# change in the container \`proxy\` has to be there before it moves.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
components:
  - copy
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
            initContainers:
              - name: proxy
                restartPolicy: Always # what makes it a sidecar
                lifecycle: null # a sidecar's preStop begins with the Pod's end, not with its own
            containers:
              - name: proxy
                $patch: delete
`,
  },
  {
    path: 'components/native-sidecar/copy/kustomization.yaml',
    text: `${GENERIC_HEADER}#
# A component of its own: within one, patches come before replacements.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
replacements:
  - source: { kind: Deployment, fieldPath: "spec.template.spec.containers.[name=proxy]" }
    targets:
      - select: { kind: Deployment }
        fieldPaths: ["spec.template.spec.initContainers.[name=proxy]"]
        options: { create: true }
`,
  },
];
