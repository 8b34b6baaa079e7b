/** Overlays that mishandle the token or the ServiceAccount. */
import { plain } from '../good.ts';
import { type Canary, OPERATOR, POD, PROXY } from './canary.ts';

const TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount';
const SOURCE = 'pod.volumes.0.projected.sources.0.serviceAccountToken.expirationSeconds';
const LIFETIME = `${POD}volumes[credentials].projected.sources[0].serviceAccountToken.expirationSeconds`;

export const CREDENTIALS: readonly Canary[] = [
  {
    rule: 'token-only-in-proxy',
    does: 'mounts the token into the operator',
    at: `${OPERATOR}.volumeMounts[0]`,
    broken: () => plain().push('operator.volumeMounts', { name: 'credentials', mountPath: '/t' }),
    also: ['no-shared-volumes'],
  },
  {
    rule: 'token-only-in-proxy',
    does: 'mounts another volume into the operator at the path of the token',
    at: `${OPERATOR}.volumeMounts[0]`,
    broken: () =>
      plain()
        .push('pod.volumes', { name: 'mine', secret: { secretName: 'mine' } })
        .push('operator.volumeMounts', { name: 'mine', mountPath: TOKEN }),
  },
  {
    rule: 'token-in-proxy',
    does: 'mounts no token into the ambassador',
    at: `${PROXY}.volumeMounts`,
    broken: () => plain().remove('proxy.volumeMounts'),
  },
  {
    rule: 'token-in-proxy',
    does: 'mounts the token at a path where kubectl does not look',
    at: `${PROXY}.volumeMounts`,
    broken: () => plain().set('proxy.volumeMounts.0.mountPath', '/credentials'),
  },
  {
    rule: 'token-in-proxy',
    does: 'mounts the token without readOnly',
    at: `${PROXY}.volumeMounts[0].readOnly`,
    level: 'warning',
    broken: () => plain().remove('proxy.volumeMounts.0.readOnly'),
  },
  ...[599, 3601, 3607, 86_400].map((seconds) => ({
    rule: 'token-lifetime',
    does: `requests a token that is valid for ${seconds} seconds [security 3]`,
    at: LIFETIME,
    broken: () => plain().set(SOURCE, seconds),
  })),
  {
    rule: 'automount-off',
    does: 'does not turn automountServiceAccountToken of the Pod off',
    at: `${POD}automountServiceAccountToken`,
    broken: () => plain().remove('pod.automountServiceAccountToken'),
  },
  {
    rule: 'automount-off',
    does: 'turns automountServiceAccountToken of the ServiceAccount on',
    at: 'ServiceAccount/op automountServiceAccountToken',
    broken: () => plain().set('ServiceAccount.automountServiceAccountToken', true),
  },
  {
    rule: 'no-token-secret',
    does: 'creates a Secret with a token that never expires',
    at: 'Secret/op-token type',
    broken: () =>
      plain().add({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: 'op-token' },
        type: 'kubernetes.io/service-account-token',
      }),
  },
  {
    rule: 'own-service-account',
    does: 'uses the default ServiceAccount',
    at: `${POD}serviceAccountName`,
    broken: () => plain().remove('pod.serviceAccountName'),
    also: ['rbac-bound'],
  },
];
