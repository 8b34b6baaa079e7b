import { GENERIC_HEADER } from '../component-text.ts';
import type { ManifestFile } from '../manifest-file.ts';

/** Both containers say more. */
export const debug: readonly ManifestFile[] = [
  {
    path: 'components/debug/kustomization.yaml',
    text: `${GENERIC_HEADER}#
# For as long as something is looked for: the ambassador logs each request with its URL and its answer, the
# operator its debug lines and the durations of its requests.
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
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
                env:
                  - name: CHANCERY_LOG_LEVEL
                    value: debug
                  - name: CHANCERY_METRICS_DETAILED
                    value: "true"
  - target: { kind: Deployment }
    patch: |
      - op: test
        path: /spec/template/spec/containers/0/name
        value: proxy
      # Not more: from 7 on kubectl logs headers, and a cookie among them is not masked.
      - op: add
        path: /spec/template/spec/containers/0/args/-
        value: --v=6
`,
  },
];
