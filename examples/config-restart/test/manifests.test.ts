// The definitions and the sample, as far as they can be judged without an API server.

import { readFileSync } from 'node:fs';
import { type KubernetesObject, type Resource, resourceName } from 'chancery';
import { parseYamlDocuments } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { annotationWatchers } from '../front-ends/annotation.ts';
import {
  bookWatchers,
  configMonitors,
  customResources,
  repositoryWatchers,
} from '../front-ends/custom-resource.ts';

interface Schema {
  readonly type?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minProperties?: number;
  readonly enum?: readonly string[];
  readonly 'x-kubernetes-validations'?: readonly { readonly rule: string }[];
}

interface Definition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: Readonly<Record<string, string | readonly string[]>>;
    readonly versions: readonly {
      readonly name: string;
      readonly subresources: object;
      readonly schema: { readonly openAPIV3Schema: Schema };
      readonly additionalPrinterColumns: readonly { readonly name: string }[];
    }[];
  };
}

function documents(file: string): readonly unknown[] {
  return parseYamlDocuments(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
}

function definitionOf(resource: Resource): Definition {
  return documents(`crds/${resourceName(resource)}.yaml`)[0] as Definition;
}

function specSchema(resource: Resource): Schema | undefined {
  return definitionOf(resource).spec.versions[0]?.schema.openAPIV3Schema.properties?.spec;
}

test.each(
  customResources.map((resource) => [resourceName(resource), resource] as const),
)('the definition of %s declares what the reconciler reads and writes', (name, resource) => {
  const { metadata, spec } = definitionOf(resource);

  expect(metadata.name).toBe(name);
  expect(spec).toMatchObject({
    group: resource.group,
    scope: 'Namespaced',
    names: { kind: resource.kind, plural: resource.plural, categories: ['all'] },
    versions: [
      { name: resource.version, served: true, storage: true, subresources: { status: {} } },
    ],
  });
  expect(specSchema(resource)?.properties).toMatchObject({
    strategy: { enum: ['rollout', 'evict', 'delete'] },
    restartOn: { enum: ['data', 'any'] },
    debounceSeconds: { minimum: 0, maximum: 300 },
    podSelector: { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
    selector: { type: 'object' },
  });
  const [version] = spec.versions;
  expect(version?.additionalPrinterColumns.slice(0, 2).map((column) => column.name)).toEqual([
    'ConfigMap',
    'PodSelector',
  ]);
});

test("both groups of ConfigWatcher have the same schema, and the original operator's short name", () => {
  const [book, repository] = [bookWatchers, repositoryWatchers].map(definitionOf);

  expect(book?.spec.versions).toEqual(repository?.spec.versions);
  expect([book?.spec.names, repository?.spec.names]).toMatchObject([
    { shortNames: ['cw'] },
    { shortNames: ['cw'] },
  ]);
});

test('ConfigMonitor accepts each of the two spellings of a field, and requires one of them', () => {
  const schema = specSchema(configMonitors);

  expect(schema?.properties).toMatchObject({
    configMap: { type: 'string' },
    configmap: { type: 'string' },
  });
  expect(schema?.required).toBeUndefined();
  expect(schema?.['x-kubernetes-validations']?.map(({ rule }) => rule)).toEqual([
    'has(self.configMap) || has(self.configmap)',
    '!has(self.configMap) || !has(self.configmap) || self.configMap == self.configmap',
  ]);
});

test('the sample watches its own ConfigMap and the Pods of its own Deployment', () => {
  const [config, deployment] = documents('sample/web-app.yaml') as KubernetesObject[];
  if (config === undefined) throw new Error('the sample is empty');

  expect(annotationWatchers(config)).toMatchObject([
    {
      accepted: true,
      configMap: 'webapp-config',
      demand: {
        selector: [{ key: 'app', operator: 'in', values: ['webapp'] }],
        strategy: 'rollout',
      },
    },
  ]);
  expect(deployment).toMatchObject({
    kind: 'Deployment',
    metadata: { name: 'webapp' },
    spec: { replicas: 3, template: { metadata: { labels: { app: 'webapp' } } } },
  });
});
