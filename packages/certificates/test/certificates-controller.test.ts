/** `chancery certificates` in front of an API server, on a clock that the test moves. */
import { X509Certificate } from 'node:crypto';
import {
  crashPoints,
  eventually,
  FakeClock,
  startOperator,
  startTestEnv,
  type TestEnv,
} from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { accessOf, certificatesAccess } from 'chancery/internal';
import { expect, test } from 'vitest';
import { KEYS } from '../src/certificate-state.ts';
import {
  type CertificatesOptions,
  certificatesController,
} from '../src/certificates-controller.ts';
import { OVERLAP_MS, SETTLE_MS, VALID_MS } from '../src/next-step.ts';

const SERVICE = 'site-gate';

function optionsFor(namespace: string): CertificatesOptions {
  const name = `site.${namespace}`;
  const targets = {
    secret: 'site-gate-tls',
    validating: [name],
    mutating: [name],
    definitions: [],
  };
  return { targets, service: SERVICE, namespace };
}

/** A configuration with a webhook of ours, and one of somebody else. */
function configuration(kind: string, namespace: string): KubernetesObject {
  const webhook = (name: string, service: string): object => ({
    name,
    clientConfig: { service: { name: service, namespace, path: '/validate/x' } },
    rules: [
      {
        apiGroups: ['apps'],
        apiVersions: ['v1'],
        resources: ['deployments'],
        operations: ['CREATE'],
      },
    ],
    failurePolicy: 'Ignore',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    namespaceSelector: { matchLabels: { nobody: 'has-this' } },
  });
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name: `site.${namespace}` },
    ...{ webhooks: [webhook('a.b.example', SERVICE), webhook('foreign.b.example', 'other')] },
  };
}

async function arrange(env: TestEnv, namespace: string): Promise<void> {
  await env.create(configuration('ValidatingWebhookConfiguration', namespace));
  await env.create(configuration('MutatingWebhookConfiguration', namespace));
}

type Texts = Readonly<Record<string, string>>;

async function secretOf(env: TestEnv, namespace: string): Promise<Texts | undefined> {
  const secret = await env.get<KubernetesObject & { readonly data?: Texts }>(
    ...(['v1', 'Secret', namespace, 'site-gate-tls'] as const),
  );
  if (secret === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(secret.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );
}

/** The bundles of our webhooks; that of the foreign one must stay as it is. */
async function bundlesOf(
  env: TestEnv,
  namespace: string,
): Promise<readonly (string | undefined)[]> {
  const bundles: (string | undefined)[] = [];
  for (const kind of ['ValidatingWebhookConfiguration', 'MutatingWebhookConfiguration']) {
    const found = await env.get<
      KubernetesObject & {
        readonly webhooks?: readonly { readonly clientConfig: { readonly caBundle?: string } }[];
      }
    >(...(['admissionregistration.k8s.io/v1', kind, undefined, `site.${namespace}`] as const));
    const [own, foreign] = found?.webhooks ?? [];
    expect(foreign?.clientConfig.caBundle).toBeUndefined();
    const text = own?.clientConfig.caBundle;
    bundles.push(text === undefined ? undefined : Buffer.from(text, 'base64').toString());
  }
  return bundles;
}

function isTrusted(texts: Texts | undefined, bundle: string | undefined): boolean {
  const certificate = new X509Certificate(texts?.[KEYS.certificate] ?? '');
  const authorities = (bundle ?? '')
    .split(/(?<=-----END CERTIFICATE-----\n)/)
    .filter((text) => text !== '');
  return authorities.some((each) => certificate.verify(new X509Certificate(each).publicKey));
}

async function started() {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  const env = await startTestEnv({ embedded: { clock } });
  const namespace = await env.namespace();
  await arrange(env, namespace);
  const start = () =>
    startOperator({
      ...{ url: env.url, namespace, clock },
      controllers: [certificatesController(optionsFor(namespace))],
    });
  let operator = start();
  await env.advance(1_000);
  return {
    ...{ env, namespace },
    get log() {
      return operator.log;
    },
    /** The process ends, and another one starts after this time. */
    async again(ms: number = 0) {
      await operator.kill();
      clock.advance(ms);
      operator = start();
      await env.settled();
    },
    async [Symbol.asyncDispose]() {
      await operator.kill();
      await env[Symbol.asyncDispose]();
    },
  };
}

test('at its first startup, the operator makes a Secret with a certificate that every webhook configuration trusts', async () => {
  await using place = await started();
  const { env, namespace, log } = place;

  const texts = await secretOf(env, namespace);
  const bundles = await bundlesOf(env, namespace);
  const host = new X509Certificate(texts?.[KEYS.certificate] ?? '').checkHost(
    `${SERVICE}.${namespace}.svc`,
  );

  expect(host).toBeDefined();
  for (const bundle of bundles) expect(isTrusted(texts, bundle)).toBe(true);
  expect(Object.keys(texts ?? {}).sort()).toEqual(['ca.crt', 'served-since', 'tls.crt', 'tls.key']);
  expect(JSON.stringify(log)).not.toMatch(/PRIVATE KEY|BEGIN CERTIFICATE/);
});

test('the operator makes the Secret even if there is no webhook configuration yet, so that the gate can start first', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  await using env = await startTestEnv({ embedded: { clock } });
  const namespace = await env.namespace();
  const controllers = [certificatesController(optionsFor(namespace))];
  const operator = startOperator({ url: env.url, namespace, controllers, clock });
  await env.advance(1_000);
  const before = await secretOf(env, namespace);

  await arrange(env, namespace);
  await env.advance(1_000);

  expect(before?.[KEYS.certificate]).toBeDefined();
  for (const bundle of await bundlesOf(env, namespace))
    expect(isTrusted(before, bundle)).toBe(true);
  await operator.kill();
});

test('a renewal adds the new authority to each bundle before the new certificate is served, and removes the old authority afterwards', async () => {
  await using place = await started();
  const { env, namespace } = place;
  const first = await secretOf(env, namespace);

  await place.again((VALID_MS * 2) / 3);
  await env.advance(SETTLE_MS + OVERLAP_MS + 60_000);

  const now = await secretOf(env, namespace);
  expect(now?.[KEYS.certificate]).not.toBe(first?.[KEYS.certificate]);
  expect(await bundlesOf(env, namespace)).toEqual([now?.[KEYS.trusted], now?.[KEYS.trusted]]);
  const writes = env.requests
    .of({ verb: 'patch' })
    .map(({ resource }) => resource)
    .filter((resource) => resource === 'secrets' || resource.includes('webhookconfigurations'));
  const grouped = writes.map((each) => (each === 'secrets' ? 'secret' : 'bundle'));
  // made, trusted, served; and once more with the old authority taken out at the end.
  expect(grouped.join(' ')).toBe(
    'secret bundle bundle secret secret bundle bundle secret secret bundle bundle',
  );
  expect(new Set(writes).size).toBe(3);
});

test('[A-14] at each moment of a renewal both the old and the new certificate are trusted', async () => {
  await using place = await started();
  const { env, namespace } = place;
  const first = await secretOf(env, namespace);
  await place.again((VALID_MS * 2) / 3 - 600_000);

  const seen = new Set<string>();
  let isOldTrusted = true;
  for (let minute = 0; minute < 30; minute += 1) {
    await env.advance(60_000);
    const texts = await secretOf(env, namespace);
    seen.add(texts?.[KEYS.certificate] ?? '');
    for (const bundle of await bundlesOf(env, namespace)) {
      expect(isTrusted(texts, bundle)).toBe(true);
      isOldTrusted &&= isTrusted(first, bundle);
    }
  }

  expect(seen.size).toBe(2);
  expect(isOldTrusted).toBe(true);
});

test('the operator restores a bundle that somebody edited, and keeps the certificate', async () => {
  await using place = await started();
  const { env, namespace } = place;
  const before = await secretOf(env, namespace);
  await edit(env, namespace);
  await env.advance(1_000);

  expect(await secretOf(env, namespace)).toEqual(before);
  expect(await bundlesOf(env, namespace)).toEqual([before?.[KEYS.trusted], before?.[KEYS.trusted]]);
});

test('if another program keeps changing a bundle, the operator corrects it after growing delays, and writes last', async () => {
  await using place = await started();
  const { env, namespace } = place;
  const before = await secretOf(env, namespace);
  const corrections = (): number =>
    (JSON.stringify(place.log).match(/changed the trusted certificates/g) ?? []).length;
  const atFirst = corrections();

  for (let edits = 1; edits <= 40; edits += 1) {
    await edit(env, namespace);
    await env.advance(100);
  }
  const during = corrections() - atFirst;
  await env.advance(60_000);

  // At once, and after 1 s and 2 s: 4 s have passed.
  expect(during).toBeGreaterThan(1);
  expect(during).toBeLessThan(5);
  expect(await bundlesOf(env, namespace)).toEqual([before?.[KEYS.trusted], before?.[KEYS.trusted]]);
});

test('if the installer removes a webhook by server-side apply, the webhook disappears, although the operator wrote its caBundle', async () => {
  await using place = await started();
  const { env, namespace } = place;
  const made = configuration('ValidatingWebhookConfiguration', namespace);
  const { webhooks } = made as unknown as { webhooks: readonly object[] };
  const apply = async (names: readonly string[]): Promise<KubernetesObject> => {
    const body = {
      ...made,
      webhooks: names.map((name) => ({ ...webhooks[0], name })),
    };
    const path = `/apis/${made.apiVersion}/validatingwebhookconfigurations/${made.metadata.name}`;
    const response = await fetch(new URL(`${path}?fieldManager=gitops&force=true`, env.url), {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(body),
    });
    return (await response.json()) as KubernetesObject;
  };
  await env.delete(made.apiVersion, made.kind, undefined, made.metadata.name);
  await apply(['a.b.example', 'gone.b.example']);
  await env.advance(1_000);

  const after = await apply(['a.b.example']);

  expect(after).toMatchObject({
    webhooks: [{ name: 'a.b.example', clientConfig: { caBundle: expect.any(String) } }],
  });
  expect(JSON.stringify(after)).not.toContain('gone.b.example');
});

/** Another program writes its own bundle. */
async function edit(env: TestEnv, namespace: string): Promise<void> {
  const caBundle = Buffer.from('not a certificate').toString('base64');
  const [own, foreign] = (configuration('x', namespace) as unknown as { webhooks: object[] })
    .webhooks;
  const clientConfig = { service: { name: SERVICE, namespace, path: '/x' }, caBundle };
  await env.patch(
    ...([
      'admissionregistration.k8s.io/v1',
      'MutatingWebhookConfiguration',
      undefined,
      `site.${namespace}`,
    ] as const),
    { webhooks: [{ ...own, clientConfig }, foreign] },
  );
}

test('the operator replaces a deleted Secret, and the certificate that gates still serve stays trusted', async () => {
  await using place = await started();
  const { env, namespace } = place;
  const before = await secretOf(env, namespace);

  await env.delete('v1', 'Secret', namespace, 'site-gate-tls');
  await env.advance(SETTLE_MS + 5_000);

  const now = await secretOf(env, namespace);
  expect(now?.[KEYS.certificate]).not.toBe(before?.[KEYS.certificate]);
  for (const bundle of await bundlesOf(env, namespace)) {
    expect([isTrusted(before, bundle), isTrusted(now, bundle)]).toEqual([true, true]);
  }
});

test('[A-14] after a crash at any write of the first startup, the next process makes, trusts and serves the certificate', async () => {
  const points = await crashPoints({
    arrange,
    start: (url, namespace) =>
      startOperator({
        url,
        namespace,
        controllers: [certificatesController(optionsFor(namespace))],
      }),
    until: async (env, namespace) => {
      const texts = await secretOf(env, namespace);
      const bundles = await bundlesOf(env, namespace);
      return (
        texts?.[KEYS.certificate] !== undefined &&
        texts[KEYS.nextKey] === undefined &&
        bundles.every((bundle) => bundle === texts[KEYS.trusted])
      );
    },
    state: async (env, namespace) => {
      const texts = await secretOf(env, namespace);
      const bundles = await bundlesOf(env, namespace);
      return {
        keys: Object.keys(texts ?? {}).sort(),
        isTrusted: bundles.map((bundle) => isTrusted(texts, bundle)),
      };
    },
    calls: ({ verb }) => verb === 'patch',
  });

  expect(points.length).toBeGreaterThanOrEqual(8);
});

test('[A-14] after a process ends at any step of a renewal, the next process continues the renewal', async () => {
  await using place = await started();
  const { env, namespace } = place;
  const first = await secretOf(env, namespace);
  await place.again((VALID_MS * 2) / 3 - 400_000);

  for (let at = 0; at < 12; at += 1) {
    await place.again();
    await env.advance(90_000);
    const texts = await secretOf(env, namespace);
    for (const bundle of await bundlesOf(env, namespace))
      expect(isTrusted(texts, bundle)).toBe(true);
  }
  await env.advance(OVERLAP_MS + 60_000);

  const now = await secretOf(env, namespace);
  expect(now?.[KEYS.certificate]).not.toBe(first?.[KEYS.certificate]);
  for (const bundle of await bundlesOf(env, namespace)) expect(bundle).toBe(now?.[KEYS.trusted]);
});

test('a definition with the gate as its conversion webhook also gets the CA bundle, and other definitions stay unchanged', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  await using env = await startTestEnv({ embedded: { clock } });
  const namespace = await env.namespace();
  const definition = (plural: string, service: string): KubernetesObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.site.example` },
    ...{
      spec: {
        group: 'site.example',
        scope: 'Namespaced',
        names: { plural, singular: plural.slice(0, -1), kind: plural, listKind: `${plural}List` },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
        conversion: {
          strategy: 'Webhook',
          webhook: {
            conversionReviewVersions: ['v1'],
            clientConfig: { service: { name: service, namespace, path: '/convert' } },
          },
        },
      },
    },
  });
  await env.create(definition('pages', SERVICE));
  await env.create(definition('links', 'other'));
  const targets = {
    secret: 'site-gate-tls',
    validating: [],
    mutating: [],
    definitions: ['pages.site.example', 'links.site.example'],
  };
  const controllers = [certificatesController({ targets, service: SERVICE, namespace })];
  const operator = startOperator({ url: env.url, namespace, controllers, clock });

  await env.advance(1_000);

  const bundleOf = async (name: string) => {
    const found = await env.get<
      KubernetesObject & {
        readonly spec: {
          readonly conversion: {
            readonly webhook: { readonly clientConfig: { readonly caBundle?: string } };
          };
        };
      }
    >(...(['apiextensions.k8s.io/v1', 'CustomResourceDefinition', undefined, name] as const));
    return found?.spec.conversion.webhook.clientConfig.caBundle;
  };
  const texts = await secretOf(env, namespace);
  expect(Buffer.from((await bundleOf('pages.site.example')) ?? '', 'base64').toString()).toBe(
    texts?.[KEYS.trusted],
  );
  expect(await bundleOf('links.site.example')).toBeUndefined();
  await operator.kill();
});

test('[A-14] the manifests are generated from the permissions that the controller declares', () => {
  const options = optionsFor('demo');

  const placement = { namespaces: ['demo'] };
  expect(accessOf([certificatesController(options)], placement)).toEqual(
    accessOf([certificatesAccess(options.targets)], placement),
  );
});

test('two replicas make only one certificate', async () => {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  await using env = await startTestEnv({ embedded: { clock } });
  const namespace = await env.namespace();
  await arrange(env, namespace);
  const replicas = [1, 2].map(() =>
    startOperator({
      url: env.url,
      namespace,
      controllers: [certificatesController(optionsFor(namespace))],
      clock,
      leaderElection: { namespace },
    }),
  );

  await env.advance(30_000);

  await eventually(() => replicas.filter(({ leads }) => leads).length === 1);
  expect(env.requests.of({ verb: 'patch', resource: 'secrets' })).toHaveLength(2);
  for (const replica of replicas) await replica.kill();
});
