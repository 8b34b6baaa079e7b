/** `ensureCrd` and definitions whose objects a webhook converts: only manifests know its address. */
import { startTestEnv, type TestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { connect } from '../../operator/client/connection.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { type EnsureCrdOptions, ensureCrd } from '../../operator/manager/crds/ensure-crds.ts';
import {
  type DefinedResource,
  withConversionClient,
} from '../../operator/model/custom-resource-definition.ts';
import {
  type CustomResource,
  conversion,
  crdYaml,
  customResource,
  Type,
} from '../../operator/schema.ts';
import { recordingLog } from '../support/recording-log.ts';

interface World {
  readonly env: TestEnv;
  readonly client: Client;
  readonly options: EnsureCrdOptions;
}

async function world(): Promise<World> {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const connection = connect(env.url, { clock: systemClock });
  onTestFinished(() => connection.close());
  const { signal } = new AbortController();
  const options = { clock: systemClock, signal, log: recordingLog().logFor({}) };
  return { env, client: connection.clientFor('website-operator'), options };
}

function writes(env: TestEnv): number {
  const reads = ['get', 'list'];
  return env.requests.of().filter(({ verb }) => !reads.includes(verb)).length;
}

const V1ALPHA1 = { version: 'v1alpha1', spec: Type.Object({ image: Type.String() }) };
const V1 = { version: 'v1', spec: Type.Object({ image: Type.String() }) };

/** The resource with a conversion, whose declaration does not know the Service of the gate. */
const converted = (more: object = {}): CustomResource =>
  customResource({
    ...{ group: 'example.dev', kind: 'Website', ...V1, otherVersions: [V1ALPHA1], ...more },
    convert: [
      conversion(V1ALPHA1, V1, { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) }),
    ],
  });

const unconverted = customResource({
  ...{ group: 'example.dev', kind: 'Website', ...V1, otherVersions: [V1ALPHA1] },
});

const GATE = { service: { name: 'website', namespace: 'shop' } };

const conversionOf = (env: TestEnv): unknown =>
  (
    env.server.get(
      'apiextensions.k8s.io/v1',
      'CustomResourceDefinition',
      undefined,
      'websites.example.dev',
    ) as DefinedResource['definition'] | undefined
  )?.spec.conversion;

test('a definition with a conversion webhook is upgraded, and keeps the address of the webhook', async () => {
  const { env, options, client } = await world();
  env.server.applyManifest(crdYaml(converted(), GATE));
  const before = conversionOf(env);

  const outcome = await ensureCrd(client, converted({ shortNames: ['web'] }), options);

  expect(outcome).toBe('upgraded');
  expect(before).toMatchObject({
    strategy: 'Webhook',
    webhook: { clientConfig: { service: { ...GATE.service, path: '/convert', port: 443 } } },
  });
  expect(conversionOf(env)).toEqual(before);
});

test.each<[string, (env: TestEnv) => void]>([
  ['an absent definition', () => {}],
  [
    'a definition without the webhook',
    (env) => void env.server.applyManifest(crdYaml(unconverted)),
  ],
  [
    'an equal definition without the webhook',
    (env) => {
      const { conversion: _webhook, ...spec } = converted().definition.spec;
      env.server.applyManifest(JSON.stringify({ ...converted().definition, spec }));
    },
  ],
])('%s is not changed when only the manifests contain the address of its webhook', async (_what, prepare) => {
  const { env, options, client } = await world();
  prepare(env);
  const before = conversionOf(env);
  const written = writes(env);

  const refused = ensureCrd(client, converted(), options);

  await expect(refused).rejects.toMatchObject({
    code: 'CONFIG',
    message: expect.stringContaining('only manifests name its Service'),
    context: { definition: 'websites.example.dev' },
  });
  expect(conversionOf(env)).toEqual(before);
  expect(writes(env)).toBe(written);
});

test('a definition is installed with the address of its conversion webhook', async () => {
  const { env, options, client } = await world();
  const resource = converted();
  const definition = withConversionClient(resource.definition, GATE);

  await ensureCrd(client, { ...resource, definition }, options);

  expect(conversionOf(env)).toEqual(definition.spec.conversion);
});
