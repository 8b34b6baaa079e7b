/** What an operator has besides when only clients with a certificate may read its metrics. */
import { describe, expect, test } from 'vitest';
import type { Declared } from '../../operator/controller/access-declaration.ts';
import { readGateConfig } from '../../operator/generate/gate/gate-config.ts';
import { lint } from '../../operator/generate/lint/lint.ts';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import type { OperatorModel } from '../../operator/generate/manifests/operator-model.ts';
import {
  overlayComponents,
  renderedDeployment,
  renderedObjects,
} from '../../operator/generate/manifests/rendered-objects.ts';
import type { GateOptions } from '../../operator/generate/webhook/webhooks-options.ts';
import type { PodSpec } from './support/rendered.ts';
import { WEBSITE } from './support/trees.ts';
import {
  AUTHORITY,
  CONTROLLERS,
  GATE,
  OF_PODS,
  ofKind,
  webhookModelOf,
} from './support/webhooks.ts';

const GUARDED: GateOptions = { ...GATE, metricsClientCa: 'prometheus-client' };

/** Without and with something else behind the gate. */
const CASES: readonly (readonly [string, readonly Declared[]])[] = [
  ['without webhooks', []],
  ['with webhooks', [OF_PODS]],
];

interface Port {
  readonly name: string;
  readonly containerPort: number;
}

function guarded(webhooks: readonly Declared[], gate: GateOptions = GUARDED): OperatorModel {
  return webhookModelOf(webhooks, { gate });
}

function podOf(model: OperatorModel): PodSpec {
  const components = [...overlayComponents(model), 'prometheus'] as const;
  const { spec } = renderedDeployment(model, { scope: 'namespaced', components });
  return spec.template.spec as unknown as PodSpec;
}

function everyContainer({ containers, initContainers = [] }: PodSpec) {
  return [...initContainers, ...containers];
}

function monitorOf(model: OperatorModel): Readonly<Record<string, unknown>> {
  const [monitor] = ofKind(model.components.prometheus.objects, 'PodMonitor');
  const { podMetricsEndpoints } = monitor?.spec as {
    readonly podMetricsEndpoints: readonly Readonly<Record<string, unknown>>[];
  };
  return podMetricsEndpoints[0] ?? {};
}

/** The ports that the policies open to everybody. */
function openPorts(model: OperatorModel): readonly (readonly number[])[] {
  const objects = renderedObjects(model, { scope: 'namespaced', components: ['network-policy'] });
  return ofKind(objects, 'NetworkPolicy').map(({ spec }) => {
    const { ingress } = spec as {
      readonly ingress: readonly { readonly ports: readonly { readonly port: number }[] }[];
    };
    return ingress.flatMap(({ ports }) => ports.map(({ port }) => port));
  });
}

describe.each(CASES)('metrics behind the gate, %s', (_what, webhooks) => {
  test('the operator serves metrics on loopback, and no container has the port 8080', () => {
    const pod = podOf(guarded(webhooks));

    const operator = pod.containers.find(({ name }) => name === 'operator');
    expect(operator?.env).toContainEqual({ name: 'CHANCERY_METRICS_HOST', value: '127.0.0.1' });
    const ports = everyContainer(pod).flatMap(({ name, ports: own }) =>
      ((own ?? []) as readonly Port[]).map((port) => [name, port.name, port.containerPort]),
    );
    expect(ports).toEqual([
      ['gate', 'webhooks', 9443],
      ['gate', 'metrics', 9444],
      ['operator', 'health', 8081],
    ]);
  });

  test('the kubelet needs no certificate: no probe sends requests to the metrics port', () => {
    const probes = everyContainer(podOf(guarded(webhooks))).flatMap(
      ({ livenessProbe, readinessProbe, startupProbe }) =>
        [livenessProbe, readinessProbe, startupProbe].filter((probe) => probe !== undefined),
    );

    expect(probes.length).toBeGreaterThanOrEqual(6);
    expect(JSON.stringify(probes)).not.toMatch(/metrics|9444|8080/);
  });

  test("only the gate mounts the scrapers' certificate authorities, and nothing else of that Secret", () => {
    const pod = podOf(guarded(webhooks));

    const volumes = pod.volumes?.filter((volume) =>
      JSON.stringify(volume).includes('prometheus-client'),
    );
    expect(volumes).toEqual([
      {
        name: 'metrics-clients',
        secret: { secretName: 'prometheus-client', items: [{ key: 'ca.crt', path: 'ca.crt' }] },
      },
    ]);
    const mounting = everyContainer(pod).filter(({ volumeMounts = [] }) =>
      volumeMounts.some(({ name }) => name === 'metrics-clients'),
    );
    expect(mounting.map(({ name }) => name)).toEqual(['gate']);
    expect(JSON.stringify(everyContainer(pod).map(({ env }) => env))).not.toContain(
      'prometheus-client',
    );
  });

  test("the network policies open the gate's port for metrics, and not the port without TLS", () => {
    expect(openPorts(guarded(webhooks))).toEqual([
      [9443, 9444, 8081],
      [9444, 8081],
    ]);
  });

  test('the configuration of the gate has a server for metrics in addition to the declared paths', () => {
    const model = guarded(webhooks);

    const [map] = ofKind(model.webhooks?.objects ?? [], 'ConfigMap');
    const { 'gate.conf': text = '' } = map?.data as Readonly<Record<string, string>>;
    expect(readGateConfig(text)).toMatchObject({
      paths: webhooks.length === 0 ? [] : [{ path: OF_PODS.path }],
      metrics: { operator: '127.0.0.1:8080', listen: ['[::]:9444'] },
    });
  });

  test('guarded metrics need no additional permission, and lint finds nothing', () => {
    const model = guarded(webhooks);
    const rights = (of: OperatorModel) =>
      renderedObjects(of, { scope: 'cluster-scoped' }).filter(({ kind }) => /Role/.test(kind));

    expect(rights(model)).toEqual(rights(webhookModelOf(webhooks)));
    const objects = renderedObjects(model, {
      scope: 'cluster-scoped',
      components: overlayComponents(model),
    });
    expect(lint(objects).filter(({ level }) => level === 'error')).toEqual([]);
  });
});

test('a gate for metrics alone has a Service for metrics, and no objects for webhooks', () => {
  const model = guarded([]);
  const objects = renderedObjects(model, { scope: 'cluster-scoped' });

  expect(ofKind(objects, 'Service')).toMatchObject([
    {
      metadata: { name: 'website-gate' },
      spec: { ports: [{ name: 'metrics', port: 9444, targetPort: 9444 }] },
    },
  ]);
  expect(objects.filter(({ kind }) => kind.endsWith('WebhookConfiguration'))).toEqual([]);
  expect(JSON.stringify(model.deployment)).not.toContain('CHANCERY_WEBHOOK_GATE');
  expect(JSON.stringify(model.monitoring.rules)).toBe(
    JSON.stringify(webhookModelOf([]).monitoring.rules),
  );
});

test.each([
  ['cert-manager', {}, { secret: { name: 'website-gate-tls', key: 'ca.crt' } }],
  ['service-ca', {}, { configMap: { name: 'openshift-service-ca.crt', key: 'service-ca.crt' } }],
  [
    'pod',
    { signer: 'example.dev/serving', caBundle: AUTHORITY },
    { configMap: { name: 'website-gate', key: 'authorities.pem' } },
  ],
] as const)('with %s the PodMonitor trusts the matching certificate authority, and presents the certificate in the Secret', (certificates, more, ca) => {
  const model = guarded([], { ...GUARDED, certificates, ...more });

  expect(monitorOf(model)).toMatchObject({
    port: 'metrics',
    path: '/metrics',
    scheme: 'https',
    tlsConfig: {
      serverName: 'website-gate.website.svc',
      ca,
      cert: { secret: { name: 'prometheus-client', key: 'tls.crt' } },
      keySecret: { name: 'prometheus-client', key: 'tls.key' },
    },
  });
  const [map] = ofKind(model.webhooks?.objects ?? [], 'ConfigMap');
  const { 'authorities.pem': authorities } = map?.data as Readonly<Record<string, string>>;
  expect(authorities).toBe(certificates === 'pod' ? AUTHORITY : undefined);
});

test('metrics without the gate are scraped as before, and no file refers to a Secret', () => {
  const model = webhookModelOf([OF_PODS]);

  expect(monitorOf(model)).not.toHaveProperty('tlsConfig');
  expect(openPorts(model)).toEqual([
    [9443, 8080, 8081],
    [8080, 8081],
  ]);
  expect(JSON.stringify(renderedObjects(model, { scope: 'namespaced' }))).not.toMatch(
    /METRICS_HOST|9444|metrics-clients/,
  );
});

test('components with names of the operator say which command wrote them; all other components are the generic ones', () => {
  const { components: _shared, ...options } = WEBSITE.options;
  const files = (gate: GateOptions) =>
    operatorManifests(CONTROLLERS, { ...options, gate }).filter(({ path }) =>
      path.startsWith('components/'),
    );
  const open = new Map(files(GATE).map(({ path, text }) => [path, text]));

  const changed = files(GUARDED).filter(({ path, text }) => open.get(path) !== text);

  expect(changed.map(({ path }) => path)).toEqual([
    'components/network-policy/network-policy.yaml',
    'components/prometheus/kustomization.yaml',
    'components/prometheus/pod-monitor.yaml',
  ]);
  for (const { text } of changed) expect(text).toContain(`\`${WEBSITE.options.command}\``);
});

test('components that several operators share are refused, because their PodMonitor would contain the names of one operator', () => {
  expect(() => operatorManifests(CONTROLLERS, { ...WEBSITE.options, gate: GUARDED })).toThrow(
    'leave out --components',
  );
});

test.each([
  ['a Secret in capitals', { metricsClientCa: 'A_Secret' }, '--metrics-client-ca names a Secret'],
  [
    'a name of 254 characters',
    { metricsClientCa: 'a'.repeat(254) },
    '--metrics-client-ca names a Secret',
  ],
  [
    'certificates that only webhooks get',
    { metricsClientCa: 'scraper', certificates: 'chancery' },
    'this operator declares none',
  ],
] as const)('metrics behind the gate with %s are refused', (_what, more, words) => {
  expect(() => guarded([], { ...GATE, ...more })).toThrow(words);
});

test('with webhooks, the certificates that chancery creates serve metrics, too', () => {
  const model = guarded([OF_PODS], { ...GUARDED, certificates: 'chancery' });

  expect(monitorOf(model)).toMatchObject({
    tlsConfig: { ca: { secret: { name: 'website-gate-tls', key: 'ca.crt' } } },
  });
});
