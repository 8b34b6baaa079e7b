/** Samples of custom resources, as consoles offer them: made of the schema, and taken by an API server. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { startTestEnv, type TestEnv } from '@chancery/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigurationError } from '../../../../operator/core/errors.ts';
import { parseYamlDocuments } from '../../../../operator/core/yaml.ts';
import type { CustomResourceDefinition } from '../../../../operator/model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { customResource, Type } from '../../../../operator/schema.ts';
import { anyPair } from '../../../../test/schema/random-schema.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { samples } from '../../src/bundle/samples.ts';
import { bundle, csvOf, demo, thing } from './support/bundles.ts';

const examples = fileURLToPath(new URL('../../../../examples/', import.meta.url));

/** Every definition that lies in the folder of an example. */
function definitionsOfExamples(): readonly CustomResourceDefinition[] {
  const paths = readdirSync(examples, { recursive: true, encoding: 'utf8' });
  const found = paths
    .filter((path) => path.endsWith('.yaml') && /(?:^|\/)crd/.test(path))
    .flatMap((path) => parseYamlDocuments(readFileSync(`${examples}${path}`, 'utf8')))
    .filter((value) => (value as KubernetesObject).kind === 'CustomResourceDefinition');
  const byName = new Map(
    (found as readonly CustomResourceDefinition[]).map((each) => [each.metadata.name, each]),
  );
  return [...byName.values()];
}

async function server(): Promise<TestEnv> {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  return env;
}

/** What the server says to the samples of a definition that it serves; in the namespace that they are tried in. */
async function refusals(env: TestEnv, objects: readonly object[]): Promise<readonly string[]> {
  const said: string[] = [];
  for (const [at, object] of objects.entries()) {
    const { metadata, ...rest } = object as KubernetesObject;
    // Versions of one kind share their names.
    const name = at === 0 ? metadata.name : `${metadata.name}-${at}`;
    const placed = { ...metadata, name, namespace: 'default' };
    await env
      .create({ ...rest, metadata: placed })
      .catch((error: unknown) => said.push(`${rest.apiVersion} ${rest.kind}: ${String(error)}`));
  }
  return said;
}

function servedKinds({ spec }: CustomResourceDefinition): readonly string[] {
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name }) => `${spec.group}/${name} ${spec.names.kind}`);
}

/** No operator runs here that could convert the samples of older versions. */
function unconverted({ spec, ...definition }: CustomResourceDefinition): object {
  const { conversion: _, ...rest } = spec;
  return { ...definition, spec: rest };
}

test('[packaging 12] each served version of the examples has a sample, which the API server accepts unless a CEL rule refuses it', async () => {
  const env = await server();
  const definitions = definitionsOfExamples();
  expect(definitions.length).toBeGreaterThan(12);
  const refused = new Map<CustomResourceDefinition, readonly string[]>();

  for (const definition of definitions) {
    await env.apply(unconverted(definition) as unknown as KubernetesObject);
    const made = samples([definition]) as readonly KubernetesObject[];
    expect(made.map(({ apiVersion, kind }) => `${apiVersion} ${kind}`)).toEqual(
      servedKinds(definition),
    );
    const said = await refusals(env, made);
    if (said.length > 0) refused.set(definition, said);
  }

  // No sample is made for rules in CEL; --sample gives one that keeps them.
  const ofRules = [...refused.values()].flat().map((line) => line.replace(/: ApiError.*value/, ''));
  expect(ofRules.sort()).toEqual([
    'chaos.example.dev/v1 ChaosPlan: a namespace has one plan, with the name chaos',
    'k8spatterns.com/v1 ConfigWatcher: podSelector or selector is required',
    'k8spatterns.io/v1 ConfigWatcher: podSelector or selector is required',
    'magalix.com/v1 ConfigMonitor: configMap or configmap is required',
  ]);
  for (const definition of refused.keys()) {
    expect(JSON.stringify(definition)).toContain('x-kubernetes-validations');
  }
});

test('[packaging 12] a sample from the user replaces the generated sample that violates a CEL rule', async () => {
  const env = await server();
  const plans = definitionsOfExamples().filter(({ spec }) => spec.names.kind === 'ChaosPlan');
  await env.apply(plans as unknown as readonly KubernetesObject[]);
  const given = {
    apiVersion: 'chaos.example.dev/v1',
    kind: 'ChaosPlan',
    metadata: { name: 'chaos' },
  };
  const options = { samples: [{ ...given, spec: {} } as KubernetesObject] };
  const csv = csvOf(bundle(demo({ definitions: plans }), options));

  const shown = JSON.parse(csv.metadata.annotations['alm-examples'] ?? '') as KubernetesObject[];

  const chosen = shown.filter(({ kind }) => kind === 'ChaosPlan');
  expect(chosen).toEqual(options.samples);
  expect(await refusals(env, chosen)).toEqual([]);
});

test("[packaging 12] alm-examples contains the samples of the bundle's definitions as JSON", async () => {
  const definition = thing({
    required: ['spec'],
    properties: {
      spec: {
        type: 'object',
        required: ['size', 'text', 'ports'],
        properties: {
          size: { type: 'integer', minimum: 3, maximum: 9, multipleOf: 4 },
          text: {
            type: 'string',
            description: 'a\n---\nb: {{ c }}',
            default: 'a: "b"\n---\n{{ c }}',
          },
          ports: { type: 'array', minItems: 2, items: { type: 'integer', minimum: 80 } },
          color: { type: 'string', enum: ['red'] },
        },
      },
    },
  });
  const model = demo({ definitions: [definition] });

  const annotation = csvOf(bundle(model)).metadata.annotations['alm-examples'] ?? '';

  const shown = JSON.parse(annotation) as readonly KubernetesObject[];
  expect(shown).toEqual(samples(model.definitions));
  expect(shown.at(-1)).toEqual({
    apiVersion: 'things.example/v1',
    kind: 'Thing',
    metadata: { name: 'thing-sample' },
    spec: { size: 4, text: 'a: "b"\n---\n{{ c }}', ports: [80, 81] },
  });
  const env = await server();
  await env.apply(model.definitions as unknown as readonly KubernetesObject[]);
  expect(await refusals(env, shown)).toEqual([]);
});

test('a sample contains required fields of any name, and ignores unknown formats', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  const field = { type: 'string', format: 'constructor' };
  const properties = Object.fromEntries(names.map((name) => [name, field]));
  const definition = thing({
    properties: { spec: { type: 'object', required: names, properties } },
  });

  const [made] = samples([definition]) as readonly { readonly spec: object }[];

  expect(Object.entries(made?.spec ?? {})).toEqual(names.map((name) => [name, 'sample']));
});

test('[packaging 12] a version gets no sample if no generated sample fits its schema', () => {
  const spec = { type: 'object', required: ['at'], properties: { at: { type: 'string' } } };
  const never = { not: { required: ['at'] } };

  const made = [spec, { ...spec, ...never }].map((schema) =>
    samples([thing({ required: ['spec'], properties: { spec: schema } })]),
  );

  expect(made.map(({ length }) => length)).toEqual([1, 0]);
});

test('[packaging 12] the API server accepts each generated sample, for any schema', async () => {
  const env = await server();
  let runs = 0;
  const counted = { made: 0, none: 0 };

  const schemas = anyPair.map(({ schema }) => schema);

  await fc.assert(
    fc.asyncProperty(schemas, async (schema) => {
      runs++;
      const spec = Type.Object({ it: schema });
      let definition: CustomResourceDefinition;
      try {
        const named = { group: 'example.dev', version: 'v1', kind: `Thing${runs}` };
        ({ definition } = customResource({ ...named, spec }));
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError); // a default that does not fit, say
        return;
      }
      const made = samples([definition]);
      counted[made.length === 0 ? 'none' : 'made']++;
      if (made.length === 0) return;
      await env.apply(unconverted(definition) as unknown as KubernetesObject);

      expect({ schema, made, said: await refusals(env, made) }).toEqual({ schema, made, said: [] });
    }),
    propertyRuns(0.4),
  );

  // Some random schemas contradict themselves, and no value fits them.
  expect(counted.made).toBeGreaterThan(counted.none);
}, 120_000);
