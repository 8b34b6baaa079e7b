import { GENERIC_HEADER } from '../component-text.ts';
import type { ManifestFile } from '../manifest-file.ts';

/** A socket file in place of the port on loopback. */
export const unixSocket: readonly ManifestFile[] = [
  {
    path: 'components/unix-socket/kustomization.yaml',
    text: `${GENERIC_HEADER}#
# The ambassador listens on a socket in a folder that only the two containers have: who may port-forward to
# the Pod or put a container into it does not reach it. The price: kubectl lets only its own user connect, so
# both containers run as one; and kubectl cannot dial a socket, so no probe goes through the ambassador.
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
              - name: proxy
                # Past the ambassador, with its credentials: token, CA and API server are tried once, as
                # without them kubectl would talk to localhost:8080 and not complain. No flag more: with
                # --request-timeout kubectl does not look for the credentials of a Pod.
                startupProbe:
                  exec:
                    command: [/kubectl, get, --raw=/version]
                livenessProbe: null # the operator's readiness says whether requests get through
                volumeMounts:
                  - name: ambassador
                    mountPath: /run/ambassador
              - name: operator
                env:
                  - name: CHANCERY_API_URL
                    value: unix:/run/ambassador/api.sock
                securityContext:
                  runAsUser: 65531 # the ambassador's: the socket has mode 0700
                  runAsGroup: 65531
                volumeMounts:
                  - name: ambassador
                    mountPath: /run/ambassador
                    readOnly: true # to connect needs no more, and nobody else can put a socket there
            volumes:
              - name: ambassador
                emptyDir: { medium: Memory, sizeLimit: 1Mi }
  - target: { kind: Deployment }
    patch: |
      - op: test
        path: /spec/template/spec/containers/0/name
        value: proxy
      - op: add
        path: /spec/template/spec/containers/0/args/-
        value: --unix-socket=/run/ambassador/api.sock
`,
  },
];
