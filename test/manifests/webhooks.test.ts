/** What an operator with webhooks has besides: the gate, the configurations, the certificates, and no right more. */
import { describe, expect, test } from 'vitest';
import { website } from '../../examples/website/operator.ts';
import { readGateConfig } from '../../operator/generate/gate/gate-config.ts';
import { lint } from '../../operator/generate/lint/lint.ts';
import { certificatesOperator } from '../../operator/generate/manifests/certificates-operator.ts';
import { operatorManifests } from '../../operator/generate/manifests/operator-manifests.ts';
import {
  type OperatorModel,
  operatorModel,
} from '../../operator/generate/manifests/operator-model.ts';
import {
  overlayComponents,
  renderedDeployment,
  renderedObjects,
} from '../../operator/generate/manifests/rendered-objects.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { PodSpec } from './support/rendered.ts';
import { WEBSITE } from './support/trees.ts';
import {
  AUTHORITY,
  CLOSED,
  CONTROLLERS,
  configuredIn,
  GATE,
  OF_DEPLOYMENTS,
  OF_NAMESPACES,
  OF_PODS,
  OF_SECRETS,
  OF_SERVICES,
  ofKind,
  SOURCES,
  webhookModelOf,
} from './support/webhooks.ts';

const SCOPES = ['namespaced', 'cluster-scoped'] as const;
const ALL = [OF_DEPLOYMENTS, OF_PODS, OF_NAMESPACES];

function podOf(
  model: OperatorModel,
  components: ReturnType<typeof overlayComponents> = [],
): PodSpec {
  const { spec } = renderedDeployment(model, { scope: 'cluster-scoped', components });
  return spec.template.spec as unknown as PodSpec;
}

describe('the gate', () => {
  test('without a webhook there is no gate, and none of its objects', () => {
    const text = JSON.stringify(renderedObjects(webhookModelOf([]), { scope: 'namespaced' }));

    expect(text).not.toMatch(/gate|9443|webhook/i);
  });

  test.each(
    SOURCES,
  )('[A-10] [admission 12] with $certificates only the gate mounts the key, and the operator has neither key nor token', (gate) => {
    const pod = podOf(webhookModelOf(ALL, { gate }));
    const mounting = (volume: string) =>
      [...(pod.initContainers ?? []), ...pod.containers]
        .filter(({ volumeMounts = [] }) => volumeMounts.some(({ name }) => name === volume))
        .map(({ name }) => name);

    expect(mounting('gate-tls')).toEqual(['gate']);
    expect(mounting('credentials')).toEqual(['proxy']);
  });

  test('the gate is a native sidecar before the operator, with a separate user and one writable folder, for its pid file', () => {
    const pod = podOf(webhookModelOf(ALL));

    const [gate] = pod.initContainers ?? [];
    expect(gate).toMatchObject({
      name: 'gate',
      image: GATE.image,
      restartPolicy: 'Always',
      securityContext: { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false },
    });
    const users = [...(pod.initContainers ?? []), ...pod.containers].map(
      ({ securityContext }) => securityContext?.runAsUser,
    );
    expect(new Set(users).size).toBe(3);
    const written = gate?.volumeMounts?.filter((mount) => !('readOnly' in mount));
    expect(written).toEqual([{ name: 'gate-run', mountPath: '/run/gate' }]);
  });

  test('an unusable certificate makes the Pod not ready, but does not restart the gate or block the operator', () => {
    const [gate] = podOf(webhookModelOf(ALL)).initContainers ?? [];

    expect(gate?.readinessProbe).toMatchObject({
      httpGet: { scheme: 'HTTPS', port: 'webhooks', path: '/healthz' },
    });
    expect(gate?.livenessProbe).toMatchObject({ tcpSocket: { port: 'webhooks' } });
    expect(gate?.startupProbe).toBeUndefined();
  });

  test('the gate writes into memory only, because a review can contain a Secret', () => {
    const { volumes = [] } = podOf(webhookModelOf(ALL));

    const emptied = volumes.filter((volume) => 'emptyDir' in volume);
    expect(emptied).toEqual([
      { name: 'gate-run', emptyDir: { medium: 'Memory', sizeLimit: '16Mi' } },
    ]);
  });

  test('if the ambassador is a native sidecar, the gate starts second, so that requests can pass before reviews arrive', () => {
    const pod = podOf(webhookModelOf(ALL), ['native-sidecar']);

    expect(pod.initContainers?.map(({ name }) => name)).toEqual(['proxy', 'gate']);
    expect(pod.containers.map(({ name }) => name)).toEqual(['operator']);
  });

  test('the operator is the only plain container, so the gate ends when the operator ends', () => {
    const model = webhookModelOf(ALL);

    const pod = podOf(model, overlayComponents(model));

    expect(pod.containers.map(({ name }) => name)).toEqual(['operator']);
    expect(pod.initContainers?.every(({ lifecycle }) => lifecycle === undefined)).toBe(true);
  });

  test("the gate's configuration forwards only the declared paths, and a changed configuration starts new Pods", () => {
    const one = webhookModelOf([OF_DEPLOYMENTS]);
    const two = webhookModelOf([OF_DEPLOYMENTS, OF_PODS]);
    const config = (model: OperatorModel) => {
      const [map] = ofKind(model.webhooks?.objects ?? [], 'ConfigMap');
      return readGateConfig(Object.values(map?.data ?? {}).join(''));
    };
    const hash = (model: OperatorModel) =>
      model.deployment.spec.template.metadata.annotations?.['chancery.dev/gate-config'];

    expect(config(one)?.paths).toEqual([
      { path: '/validate/limits.deployments.example.dev', timeoutSeconds: 3 },
    ]);
    expect(config(two)?.paths.map(({ path }) => path)).toEqual([
      '/mutate/labels.pods.example.dev',
      '/validate/limits.deployments.example.dev',
    ]);
    expect(hash(one)).toMatch(/^[0-9a-f]{32}$/);
    expect(hash(one)).not.toBe(hash(two));
  });

  test('the API server reaches the gate through a Service that maps 443 to 9443, and the network policy allows that port', () => {
    const objects = renderedObjects(webhookModelOf(ALL), { scope: 'cluster-scoped' });

    expect(ofKind(objects, 'Service')).toMatchObject([
      {
        metadata: { name: 'website-gate', namespace: 'website' },
        spec: {
          selector: { 'app.kubernetes.io/name': 'website' },
          ports: [{ port: 443, targetPort: 9443 }],
        },
      },
    ]);
    const [policy] = ofKind(objects, 'NetworkPolicy');
    const ingress = (policy?.spec as { ingress: readonly { ports: readonly { port: number }[] }[] })
      .ingress;
    // What is left are metrics and probes of the operator, as without a gate.
    expect(ingress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([
      9443, 8080, 8081,
    ]);
    for (const { clientConfig } of configuredIn(objects)) {
      expect(clientConfig.service).toMatchObject({
        name: 'website-gate',
        namespace: 'website',
        port: 443,
      });
    }
  });
});

describe('requests that the API server sends to webhooks', () => {
  test("[A-7] with all namespaces, webhooks are called for every namespace but the operator's, whatever they select", () => {
    const objects = renderedObjects(webhookModelOf(ALL), { scope: 'cluster-scoped' });

    const configured = configuredIn(objects);
    expect(configured).toHaveLength(3);
    for (const { namespaceSelector } of configured) {
      expect(namespaceSelector.matchExpressions).toContainEqual({
        key: 'kubernetes.io/metadata.name',
        operator: 'NotIn',
        values: ['website'],
      });
    }
    const [first] = configured.filter(({ name }) => name === OF_DEPLOYMENTS.name);
    expect(first?.namespaceSelector.matchLabels).toEqual({ team: 'web' });
  });

  test('[A-7] with one namespace, webhooks are called for this namespace only, and not for objects that the operator needs to start', () => {
    const model = webhookModelOf([...ALL, OF_SECRETS, OF_SERVICES]);
    const objects = renderedObjects(model, { scope: 'namespaced' });

    const conditions = new Map(
      configuredIn(objects).map(({ name, namespaceSelector, matchConditions = [] }) => {
        expect(namespaceSelector.matchExpressions).toEqual([
          { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['website'] },
        ]);
        return [name, matchConditions.map(({ expression }) => expression).join('\n')] as const;
      }),
    );
    expect(conditions.get(OF_PODS.name)).toContain('serviceAccountName != "website"');
    expect(conditions.get(OF_PODS.name)).toContain('serviceAccountName != "website-certs"');
    expect(conditions.get(OF_NAMESPACES.name)).toContain('request.name != "website"');
    expect(conditions.get(OF_DEPLOYMENTS.name)).toContain('request.name != "website"');
    expect(conditions.get(OF_DEPLOYMENTS.name)).toContain('request.name != "website-certs"');
    expect(conditions.get(OF_SECRETS.name)).toContain('request.name != "website-gate-tls"');
    expect(conditions.get(OF_SERVICES.name)).not.toContain('request.name');
  });

  test('two operators with the same name in two namespaces have webhook configurations of different names', () => {
    const names = ['a', 'b'].flatMap((namespace) =>
      ofKind(
        renderedObjects(webhookModelOf(ALL, { namespace }), { scope: 'namespaced' }),
        'ValidatingWebhookConfiguration',
      ).map(({ metadata }) => metadata.name),
    );

    expect(new Set(names).size).toBe(2);
  });
});

describe('a webhook that refuses requests while the operator is down', () => {
  test('[A-7] a webhook with failurePolicy Fail gets two replicas and a disruption budget, even without further options', () => {
    const model = webhookModelOf([CLOSED]);
    for (const scope of SCOPES) {
      const objects = renderedObjects(model, { scope, components: overlayComponents(model) });

      expect(ofKind(objects, 'Deployment')).toMatchObject([{ spec: { replicas: 2 } }]);
      expect(ofKind(objects, 'PodDisruptionBudget')).toMatchObject([
        { spec: { maxUnavailable: 1 } },
      ]);
    }
    const files = operatorManifests([...CONTROLLERS, CLOSED], { ...WEBSITE.options, gate: GATE });
    for (const { text } of files.filter(({ path }) => path.startsWith('overlays/'))) {
      expect(text).toContain('components/high-availability');
    }
  });

  test('with a webhook with failurePolicy Ignore there is one replica, and no disruption budget', () => {
    const model = webhookModelOf([OF_DEPLOYMENTS]);
    const components = overlayComponents(model);
    const objects = renderedObjects(model, { scope: 'namespaced', components });

    expect(ofKind(objects, 'Deployment')).toMatchObject([{ spec: { replicas: 1 } }]);
    expect(ofKind(objects, 'PodDisruptionBudget')).toEqual([]);
  });

  test('[A-7] a webhook with failurePolicy Fail is refused without leader election, and the error says why', () => {
    expect(() => webhookModelOf([CLOSED], { leaderElection: false })).toThrow(
      /closed\.deployments\.example\.dev has failurePolicy Fail.*two replicas and a PodDisruptionBudget.*everything twice/,
    );
  });
});

describe('certificates', () => {
  test('certificates of cert-manager have a separate authority, which is injected into the webhook configurations', () => {
    const objects = renderedObjects(webhookModelOf(ALL), { scope: 'namespaced' });

    const serving = ofKind(objects, 'Certificate').find(
      ({ metadata }) => metadata.name === 'website-gate',
    );
    expect(serving?.spec).toMatchObject({
      secretName: 'website-gate-tls',
      dnsNames: expect.arrayContaining(['website-gate.website.svc']),
      issuerRef: { name: 'website-gate' },
    });
    expect(ofKind(objects, 'Issuer').map(({ spec }) => spec)).toEqual([
      { selfSigned: {} },
      { ca: { secretName: 'website-gate-ca' } },
    ]);
    for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
      expect(ofKind(objects, kind)).toMatchObject([
        { metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'website/website-gate' } } },
      ]);
    }
  });

  test("certificates of OpenShift's service CA are requested by annotations", () => {
    const model = webhookModelOf(ALL, { gate: { ...GATE, certificates: 'service-ca' } });
    const objects = renderedObjects(model, { scope: 'namespaced' });

    const annotation = 'service.beta.openshift.io';
    expect(ofKind(objects, 'Service')[0]?.metadata.annotations).toEqual({
      [`${annotation}/serving-cert-secret-name`]: 'website-gate-tls',
    });
    expect(ofKind(objects, 'MutatingWebhookConfiguration')[0]?.metadata.annotations).toEqual({
      [`${annotation}/inject-cabundle`]: 'true',
    });
  });

  test('certificates of a signer are requested by the kubelet, and the bundle is written into the configuration', () => {
    const [, , gate] = SOURCES;
    const model = webhookModelOf(ALL, gate === undefined ? {} : { gate });

    const volume = podOf(model).volumes?.find(({ name }) => name === 'gate-tls');
    expect(volume).toMatchObject({
      projected: {
        sources: [
          {
            podCertificate: {
              signerName: 'example.dev/serving',
              keyPath: 'tls.key',
              certificateChainPath: 'tls.crt',
            },
          },
        ],
      },
    });
    for (const { clientConfig } of configuredIn(renderedObjects(model, { scope: 'namespaced' }))) {
      expect(Buffer.from(clientConfig.caBundle ?? '', 'base64').toString()).toBe(AUTHORITY);
    }
  });

  test.each([
    [{ certificates: 'pod' }, /--certificate-signer NAME/],
    [
      { certificates: 'pod', signer: 'kubernetes.io/kube-apiserver-client' },
      /--certificate-signer/,
    ],
    [{ certificates: 'pod', signer: 'example.dev/serving' }, /--ca-bundle FILE/],
    [{ certificates: 'pod', signer: 'example.dev/serving', caBundle: 'x' }, /--ca-bundle FILE/],
    [
      { certificates: 'cert-manager', caBundle: AUTHORITY },
      /--ca-bundle is for --certificates pod/,
    ],
    [{ certificates: 'chancery', signer: 'example.dev/s' }, /--certificate-signer is for/],
    [{ image: 'chancery-gate' }, /image/],
  ] as const)('the certificates %o are refused', (changed, message) => {
    expect(() => webhookModelOf(ALL, { gate: { ...GATE, ...changed } })).toThrow(message);
  });

  test('a name that is invalid for a Service is refused', () => {
    expect(() => webhookModelOf(ALL, { name: '0site' })).toThrow(/begins with a letter/);
  });
});

describe('permissions for webhooks', () => {
  test.each(
    SOURCES,
  )('[A-10] [admission 20] with $certificates the operator may not access webhook configurations or definitions', (gate) => {
    const model = webhookModelOf([...ALL, CLOSED], { gate });
    for (const scope of SCOPES) {
      const granted = rulesOf(renderedObjects(model, { scope }), 'website');

      expect(granted.length).toBeGreaterThan(0);
      expect(granted.flatMap(({ apiGroups }) => apiGroups)).not.toContain(
        'admissionregistration.k8s.io',
      );
      expect(granted.flatMap(({ apiGroups }) => apiGroups)).not.toContain('apiextensions.k8s.io');
      expect(granted.flatMap(({ resources }) => resources)).not.toContain('secrets');
    }
  });

  test('[A-14] the certificates operator may write one Secret and the listed configurations, and nothing else', () => {
    const model = webhookModelOf(ALL, { gate: { ...GATE, certificates: 'chancery' } });

    const objects = certificatesOperator(model);

    const rules = rulesOf(objects, 'website-certs');
    const writes = rules
      .flatMap(({ resources, resourceNames, verbs }) =>
        verbs
          .filter((verb) => !['get', 'list', 'watch'].includes(verb))
          .map((verb) => `${verb} ${resources.join()} ${resourceNames?.join() ?? '*'}`),
      )
      .filter((write) => !write.includes('events') && !write.includes('leases'));
    expect(new Set(writes)).toEqual(
      new Set([
        'create secrets website-gate-tls',
        'patch secrets website-gate-tls',
        'patch mutatingwebhookconfigurations,validatingwebhookconfigurations website.website',
      ]),
    );
    const reads = rules.filter(({ resources }) => resources.includes('secrets'));
    for (const { resourceNames } of reads) expect(resourceNames).toEqual(['website-gate-tls']);
    expect(lint(objects).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('with certificates that chancery does not create, there is no certificates operator', () => {
    expect(certificatesOperator(webhookModelOf(ALL))).toEqual([]);
  });
});

describe('conversions', () => {
  const model = operatorModel([website], { ...WEBSITE.options, gate: GATE });

  test('a definition with several converted versions refers to the gate, and to the source of its caBundle', () => {
    expect(model.definitions).toMatchObject([
      {
        metadata: { annotations: { 'cert-manager.io/inject-ca-from': 'website/website-gate' } },
        spec: {
          conversion: {
            strategy: 'Webhook',
            webhook: {
              conversionReviewVersions: ['v1'],
              clientConfig: {
                service: {
                  name: 'website-gate',
                  namespace: 'website',
                  path: '/convert',
                  port: 443,
                },
              },
            },
          },
        },
      },
    ]);
    const files = operatorManifests([website], { ...WEBSITE.options, gate: GATE });
    const text = files.find(({ path }) => path === 'crds/websites.example.dev.yaml')?.text;
    expect(text).toContain('name: website-gate');
  });

  test("the gate forwards conversions with the API server's time limit, and the overlays have two replicas", () => {
    const [map] = ofKind(model.webhooks?.objects ?? [], 'ConfigMap');

    expect(readGateConfig(Object.values(map?.data ?? {}).join(''))?.paths).toEqual([
      { path: '/convert', timeoutSeconds: 30 },
    ]);
    expect(overlayComponents(model)).toEqual(['high-availability', 'native-sidecar']);
  });

  test('without leader election, a conversion webhook adds no replica, because conversions have no failure policy', () => {
    const single = operatorModel([website], {
      ...WEBSITE.options,
      gate: GATE,
      leaderElection: false,
    });

    expect(overlayComponents(single)).toEqual(['native-sidecar']);
  });

  test('an operator that converts objects cannot install its definitions itself, because they need a caBundle', () => {
    expect(() => operatorModel([website], { ...WEBSITE.options, installCrds: true })).toThrow(
      /websites\.example\.dev is converted by a webhook.*--install-crds/,
    );
  });

  test('the certificates operator may change the bundle of the converted definition, and no other definition', () => {
    const own = operatorModel([website], {
      ...WEBSITE.options,
      gate: { ...GATE, certificates: 'chancery' },
    });

    const writes = rulesOf(certificatesOperator(own), 'website-certs').filter(({ resources }) =>
      resources.includes('customresourcedefinitions'),
    );
    expect(writes.length).toBeGreaterThan(0);
    for (const { resourceNames } of writes) expect(resourceNames).toEqual(['websites.example.dev']);
  });
});

test('the same webhooks always give the same manifests, and a kustomization lists each file', () => {
  const files = () =>
    operatorManifests([...CONTROLLERS, ...ALL], {
      ...WEBSITE.options,
      gate: { ...GATE, certificates: 'chancery' },
    });

  expect(files()).toEqual(files());
  const paths = files().map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      'base/gate.yaml',
      'components/namespaced/webhooks.yaml',
      'components/cluster-scoped/webhooks.yaml',
      'certificates/operator.yaml',
    ]),
  );
  for (const { path, text } of files())
    expect({ path, text }).toMatchObject({ text: expect.not.stringContaining('${') });
});

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Every rule of a role that is bound to this account. */
function rulesOf(objects: readonly KubernetesObject[], account: string): readonly Rule[] {
  const bindings = objects.filter(({ kind }) =>
    kind.endsWith('RoleBinding'),
  ) as unknown as readonly (KubernetesObject & {
    readonly roleRef: { readonly kind: string; readonly name: string };
    readonly subjects: readonly { readonly name: string }[];
  })[];
  return bindings
    .filter(({ subjects }) => subjects.some(({ name }) => name === account))
    .flatMap(({ roleRef, metadata }) =>
      objects
        .filter(
          (object) =>
            object.kind === roleRef.kind &&
            object.metadata.name === roleRef.name &&
            (roleRef.kind === 'ClusterRole' || object.metadata.namespace === metadata.namespace),
        )
        .flatMap((role) => (role as unknown as { readonly rules: readonly Rule[] }).rules),
    );
}
