/** Every built-in resource works, those without rules of their own too. */

import { apiVersionOf } from 'chancery/internal';
import { expect, test } from 'vitest';
import { collectionPath } from '../../../../operator/model/resource.ts';
import {
  BUILT_IN_RESOURCES,
  type BuiltInResource,
} from '../../../src/apiserver/registry/built-in-resources.ts';
import { startCluster } from '../support/cluster.ts';
import { summary, watch } from '../support/watched.ts';
import { SAMPLES } from './samples.ts';

const STORED = BUILT_IN_RESOURCES.filter(({ verbs }) => verbs.includes('watch'));

function sample({ group, version, kind, namespaced }: BuiltInResource): Record<string, unknown> {
  const apiVersion = apiVersionOf({ group, version });
  const metadata = { name: nameOf(kind), ...(namespaced ? { namespace: 'default' } : {}) };
  return { apiVersion, kind, metadata, ...SAMPLES[`${apiVersion}/${kind}`] };
}

/** Some kinds prescribe the form of their names. */
function nameOf(kind: string): string {
  if (kind === 'CustomResourceDefinition') return 'samples.example.dev';
  if (kind === 'APIService') return 'v1.sample.dev';
  return kind === 'IPAddress' ? '192.0.2.1' : 'sample';
}

test.each(
  STORED.map((resource) => [`${apiVersionOf(resource)} ${resource.plural}`, resource] as const),
)('[F-13] %s can be created, read, listed, watched, patched and deleted', async (_, resource) => {
  const cluster = await startCluster();
  const { send } = cluster;
  const collection = collectionPath(resource, resource.namespaced ? 'default' : undefined);
  const name = nameOf(resource.kind);
  const path = `${collection}/${name}`;
  const object = sample(resource);
  const before = await send('GET', collection);
  const lines = await watch(
    cluster,
    `${collection}?watch=true&resourceVersion=${before.body.metadata.resourceVersion}&fieldSelector=metadata.name%3D${name}`,
  );

  const created = await send('POST', `${collection}?fieldValidation=Strict`, object);
  const read = await send('GET', path);
  const list = await send('GET', collection);
  const patched = await send('PATCH', path, { metadata: { labels: { tier: 'front' } } });
  const deleted = await send('DELETE', path);

  expect(created.text).toContain('"uid"');
  expect(created.status).toBe(201);
  expect(read.body).toMatchObject(object);
  expect(list.body.kind).toBe(`${resource.kind}List`);
  const names = list.body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  expect(names).toContain(name);
  expect(patched.body.metadata.labels).toMatchObject({ tier: 'front' });
  expect(deleted.status).toBe(200);
  const seen = await lines.take(2);
  expect(seen.map(summary)).toEqual([`ADDED ${name}`, `MODIFIED ${name}`]);
});

test.each(
  STORED.map((resource) => [`${apiVersionOf(resource)} ${resource.plural}`, resource] as const),
)('[F-13] %s has a Table with a valid row', async (_, resource) => {
  const { send } = await startCluster();
  const collection = collectionPath(resource, resource.namespaced ? 'default' : undefined);
  await send('POST', collection, sample(resource));

  const { body } = await send('GET', `${collection}/${nameOf(resource.kind)}`, undefined, {
    accept: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  });

  expect(body.kind).toBe('Table');
  const names = body.columnDefinitions.map((column: { name: string }) => column.name);
  expect(names).toContain('Name');
  const [row] = body.rows;
  expect(row.cells).toHaveLength(names.length);
  expect(row.cells[names.indexOf('Name')]).toBe(nameOf(resource.kind));
  expect(JSON.stringify(row.cells)).not.toMatch(/undefined|NaN|\[object/);
});
