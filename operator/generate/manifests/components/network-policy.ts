import { GENERIC_HEADER, namedAfterDeployment } from '../component-text.ts';
import type { ManifestFile } from '../manifest-file.ts';

/** Where the Pod may connect to, and on which ports it may be connected to. */
export const networkPolicy: readonly ManifestFile[] = [
  {
    path: 'components/network-policy/kustomization.yaml',
    text: `${GENERIC_HEADER}#
# Out only to the API server, in only to probes and metrics. Where the API server is, only your overlay can
# say; until it does, the API server refuses the policy. Both addresses count, as some networks look at a
# packet before it is redirected and some after:
#
#   kubectl get service/kubernetes endpointslice/kubernetes -n default
#
#   patches:
#     - target: { kind: NetworkPolicy }
#       patch: |
#         - op: replace
#           path: /spec/egress/0/to
#           value:
#             - ipBlock: { cidr: 10.96.0.1/32 } # the Service's
#             - ipBlock: { cidr: 192.0.2.10/32 } # each of the endpoints'
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
resources:
  - network-policy.yaml
${namedAfterDeployment('NetworkPolicy', 'spec.podSelector.matchLabels')}`,
  },
  {
    path: 'components/network-policy/network-policy.yaml',
    text: `${GENERIC_HEADER}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  # The Deployment's, by kustomization.yaml, as is the selector. Quoted, or a name such as 017 would become
  # a number on its way.
  name: "operator"
  namespace: "operator"
spec:
  podSelector: {}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports: # the ambassador listens on loopback, which no policy reaches
        - { protocol: TCP, port: 8080 } # metrics
        - { protocol: TCP, port: 8081 } # probes
  egress:
    - to: # no DNS: the kubelet tells the ambassador the address of the API server
        - ipBlock:
            cidr: THE-ADDRESS-OF-THE-API-SERVER # refused as it stands: see kustomization.yaml
      ports:
        - { protocol: TCP, port: 443 } # the Service's
        - { protocol: TCP, port: 6443 } # the API server's own, as a rule
`,
  },
];
