/** What two runs are compared by: not what the API server draws in the order of requests. */
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { normalForm } from '../../src/explore/scenario/normal-form.ts';
import { StoredState } from '../../src/explore/simulation/stored-state.ts';
import { pod, service } from '../../src/objects/workloads.ts';

function formOf(object: KubernetesObject): string | undefined {
  return normalForm(object, () => undefined);
}

function drawn(clusterIP: string, port: number): KubernetesObject {
  const made = service('web');
  const ports = [{ port, nodePort: Number(clusterIP.split('.')[3]) }];
  return {
    ...made,
    spec: { ...made.spec, ports, clusterIP, clusterIPs: [clusterIP] },
  } as KubernetesObject;
}

function withTokenVolume(name: string): KubernetesObject {
  return pod('web', { spec: { containers: [], volumes: [{ name }] } });
}

test('two runs are equal if only the addresses and node ports of a Service differ', () => {
  expect(formOf(drawn('10.96.0.7', 80))).toBe(formOf(drawn('10.96.0.9', 80)));
});

test('two runs differ if the ports of a Service differ', () => {
  expect(formOf(drawn('10.96.0.7', 80))).not.toBe(formOf(drawn('10.96.0.7', 81)));
});

test('two runs differ if an object that is not a Service has a different clusterIP', () => {
  const claim = (clusterIP: string): KubernetesObject =>
    ({
      apiVersion: 'example.dev/v1',
      kind: 'Claim',
      metadata: { name: 'a' },
      spec: { clusterIP },
    }) as KubernetesObject;

  expect(formOf(claim('10.96.0.7'))).not.toBe(formOf(claim('10.96.0.9')));
});

test('two runs are equal if only the name of a token volume differs, and different if the name of another volume differs', () => {
  expect(formOf(withTokenVolume('kube-api-access-abcde'))).toBe(
    formOf(withTokenVolume('kube-api-access-vwxyz')),
  );
  expect(formOf(withTokenVolume('data-a'))).not.toBe(formOf(withTokenVolume('data-b')));
});

/** What is stored after a child was made under a generated name, and an object that tells of both in longer texts. */
function comparableAfter(uid: string, suffix: string): ReadonlyMap<string, readonly string[]> {
  const stored = new StoredState({ collections: new Map() } as never);
  const add = (resource: string, object: KubernetesObject): void =>
    stored.apply(resource, { type: 'ADDED', key: object.metadata.name, object } as never);
  const made = { apiVersion: 'v1', kind: 'ConfigMap' } as const;
  const name = `host-${suffix}`;
  add('configmaps', { ...made, metadata: { name, generateName: 'host-', uid } });
  add('configmaps', {
    ...made,
    metadata: { name: `of-${uid}` },
    data: { note: `${name} is made for ${uid}, and ${name}-client, at 2026-01-01T00:00:00Z` },
  } as KubernetesObject);
  return stored.comparable((object) => object);
}

test('two runs are equal if only uids and generated names differ, even within longer strings', () => {
  const one = comparableAfter('6f1e2a34-0b1c-4d5e-8f90-a1b2c3d4e5f6', 'abcde');
  const two = comparableAfter('0a1b2c3d-4e5f-4a6b-9c7d-8e9fa0b1c2d3', 'vwxyz');

  expect(two).toEqual(one);
  expect([...one.keys()]).toEqual(['ConfigMap host-*', 'ConfigMap of-(uid of ConfigMap host-*)']);
  expect([...one.values()].flat().join()).toContain('host-* is made for');
});
