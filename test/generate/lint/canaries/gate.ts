/** Overlays that hand on the key of the gate, or leave it without certificate, configuration or operator. */
import { gateConfig } from '../../../../operator/generate/gate/gate-config.ts';
import { CertificateAuthority } from '../../../../testing/src/apiserver/tls/certificate-authority.ts';
import { GATE_PATH, gated, type Manifests } from '../good.ts';
import { type Canary, OPERATOR, POD } from './canary.ts';

const GATE = `${POD}initContainers[gate]`;
const authority = new CertificateAuthority();

/** A Secret with this certificate and key. */
function withSecret(data: Readonly<Record<string, string>>): Manifests {
  return gated().add({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'op-gate-tls', namespace: 'demo' },
    stringData: data,
  });
}

function issued(name: string): { 'tls.crt': string; 'tls.key': string } {
  const { cert, key } = authority.issue([name]);
  return { 'tls.crt': cert, 'tls.key': key };
}

/** A gate that serves metrics, too. */
function withMetrics(): Manifests {
  return gated().set('ConfigMap.data', {
    'gate.conf': gateConfig({ paths: [GATE_PATH], metrics: {} }),
  });
}

const OWN_NAME = 'op-gate.demo.svc';

export const GATE_CANARIES: readonly Canary[] = [
  {
    rule: 'key-only-in-gate',
    does: 'mounts the certificate of the gate into the operator as well [security 31]',
    at: `${OPERATOR}.volumeMounts[gate-tls]`,
    broken: () =>
      gated().push('operator.volumeMounts', {
        name: 'gate-tls',
        mountPath: '/tls',
        readOnly: true,
      }),
  },
  {
    rule: 'key-only-in-gate',
    does: 'mounts the Secret of the gate into the operator by a second volume',
    at: `${OPERATOR}.volumeMounts[again]`,
    broken: () =>
      gated()
        .push('pod.volumes', {
          name: 'again',
          projected: { sources: [{ secret: { name: 'op-gate-tls' } }] },
        })
        .push('operator.volumeMounts', { name: 'again', mountPath: '/again', readOnly: true }),
  },
  {
    rule: 'key-only-in-gate',
    does: 'gives the key of the gate to the operator as a variable',
    at: `${OPERATOR}.env[KEY]`,
    broken: () =>
      gated().push('operator.env', {
        name: 'KEY',
        valueFrom: { secretKeyRef: { name: 'op-gate-tls', key: 'tls.key' } },
      }),
  },
  {
    rule: 'gate-certificate',
    does: 'mounts no certificate into the gate',
    at: `${GATE}.volumeMounts`,
    broken: () => gated().set('gate.volumeMounts.0.mountPath', '/x'),
  },
  {
    rule: 'gate-certificate',
    does: 'mounts the certificate by subPath, which the kubelet never renews',
    at: `${GATE}.volumeMounts`,
    broken: () => gated().set('gate.volumeMounts.0.subPath', 'tls.crt'),
  },
  {
    rule: 'gate-certificate',
    does: 'requests a certificate for another name',
    at: 'Certificate/op-gate spec.dnsNames',
    says: 'add op-gate.demo.svc',
    broken: () =>
      gated().add({
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        metadata: { name: 'op-gate', namespace: 'demo' },
        spec: { secretName: 'op-gate-tls', dnsNames: ['op-gate.default.svc'] },
      }),
  },
  {
    rule: 'gate-certificate',
    does: 'has a Secret with a certificate for another name',
    at: 'Secret/op-gate-tls data[tls.crt]',
    says: 'is not for op-gate.demo.svc, but for op-gate.default.svc',
    broken: () => withSecret(issued('op-gate.default.svc')),
  },
  {
    rule: 'gate-certificate',
    does: 'has a Secret with the key of another certificate',
    at: 'Secret/op-gate-tls data[tls.key]',
    broken: () => withSecret({ ...issued(OWN_NAME), 'tls.key': issued(OWN_NAME)['tls.key'] }),
  },
  {
    rule: 'gate-certificate',
    does: 'has a Secret with a text that is not a certificate',
    at: 'Secret/op-gate-tls data[tls.crt]',
    broken: () => withSecret({ 'tls.crt': 'x', 'tls.key': 'y' }),
  },
  {
    rule: 'gate-configuration',
    does: 'mounts no configuration into the gate',
    at: `${GATE}.volumeMounts`,
    broken: () => gated().set('gate.volumeMounts.1.mountPath', '/elsewhere'),
  },
  {
    rule: 'gate-configuration',
    does: 'changes the configuration of the gate by hand',
    at: 'ConfigMap/op-gate data[gate.conf]',
    broken: () =>
      gated().set('ConfigMap.data', {
        'gate.conf': gateConfig({ paths: [GATE_PATH] }).replace(
          'client_max_body_size 8m',
          'client_max_body_size 0',
        ),
      }),
  },
  {
    rule: 'gate-configuration',
    does: 'has a ConfigMap without the configuration of the gate',
    at: 'ConfigMap/op-gate data[gate.conf]',
    says: 'is missing',
    broken: () => gated().set('ConfigMap.data', {}),
  },
  {
    rule: 'gate-configuration',
    does: 'makes the operator listen on another port than the gate uses',
    at: 'ConfigMap/op-gate data[gate.conf]',
    says: 'there is no operator behind the gate',
    broken: () =>
      gated().push('operator.env', { name: 'CHANCERY_WEBHOOK_LISTEN', value: '127.0.0.1:9441' }),
  },
  {
    rule: 'gate-configuration',
    does: 'declares a webhook whose path the gate refuses',
    at: 'ValidatingWebhookConfiguration/op webhooks[0].clientConfig.service.path',
    broken: () =>
      gated().set('ConfigMap.data', {
        'gate.conf': gateConfig({ paths: [{ path: '/convert', timeoutSeconds: 30 }] }),
      }),
  },
  {
    rule: 'guarded-metrics',
    does: 'leaves the metrics of the operator open although the gate guards them',
    at: `${OPERATOR}.env[CHANCERY_METRICS_HOST]`,
    says: 'past the gate',
    broken: () => withMetrics(),
  },
  {
    rule: 'guarded-metrics',
    does: 'serves the metrics on all addresses although the gate guards them',
    at: `${OPERATOR}.env[CHANCERY_METRICS_HOST]`,
    says: 'is 0.0.0.0',
    broken: () =>
      withMetrics().push('operator.env', { name: 'CHANCERY_METRICS_HOST', value: '0.0.0.0' }),
  },
  {
    rule: 'guarded-metrics',
    does: 'serves the metrics on another port than the gate uses',
    at: `${OPERATOR}.env[CHANCERY_METRICS_HOST]`,
    says: 'makes 127.0.0.1:9090',
    broken: () =>
      withMetrics()
        .push('operator.env', { name: 'CHANCERY_METRICS_HOST', value: '127.0.0.1' })
        .push('operator.env', { name: 'CHANCERY_METRICS_PORT', value: '9090' }),
  },
  {
    rule: 'distinct-users',
    does: 'runs the operator as the user of the gate',
    at: `${OPERATOR}.securityContext.runAsUser`,
    says: 'as for the gate',
    broken: () => gated().set('operator.securityContext.runAsUser', 65530),
  },
];
