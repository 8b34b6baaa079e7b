import { expect, test } from 'vitest';
import { configMaps, deployments } from '../../operator/model/builtin.ts';
import type { KubernetesObject, OwnerReference } from '../../operator/model/object.ts';
import {
  AlreadyOwnedError,
  setControllerReference,
  setOwnerReference,
} from '../../operator/model/owner-reference.ts';
import { defineResource } from '../../operator/model/resource.ts';

const clusterWide = defineResource<KubernetesObject>({
  group: 'example.dev',
  version: 'v1',
  plural: 'fleets',
  kind: 'Fleet',
  namespaced: false,
});

function object(namespace: string | undefined, metadata: object = {}): KubernetesObject {
  const names = { name: 'a', ...(namespace !== undefined && { namespace }) };
  return { apiVersion: 'v1', kind: 'Any', metadata: { ...names, ...metadata } };
}

const owner = object('demo', { name: 'site', uid: 'u1' });
const reference: OwnerReference = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'site',
  uid: 'u1',
  controller: true,
  blockOwnerDeletion: true,
};

test('[K-30] setControllerReference sets a reference with every field that the API requires', () => {
  const child = Object.freeze(object('demo'));

  const owned = setControllerReference(owner, child, deployments, configMaps);

  expect(owned.metadata.ownerReferences).toEqual([reference]);
  expect(child.metadata).toEqual({ name: 'a', namespace: 'demo' });
});

test('[K-30] a reference to the same owner in another version is replaced, and other owners stay', () => {
  const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u9' };
  const old = { ...reference, apiVersion: 'apps/v1beta2', controller: false };
  const child = object('demo', { ownerReferences: [old, other] });

  const owned = setControllerReference(owner, child, deployments, configMaps);

  expect(owned.metadata.ownerReferences).toEqual([reference, other]);
});

test.each<[string, Partial<OwnerReference>]>([
  ['uid', { uid: 'u2' }],
  ['name', { name: 'other' }],
  ['kind', { kind: 'StatefulSet' }],
  ['group', { apiVersion: 'example.dev/v1' }],
])("[K-30] if a child's controller has another %s, the child counts as already owned", (_part, difference) => {
  const theirs = { ...reference, ...difference };
  const child = object('demo', { ownerReferences: [theirs] });

  const setting = () => setControllerReference(owner, child, deployments, configMaps);

  expect(setting).toThrow(AlreadyOwnedError);
  expect(setting).toThrow(expect.objectContaining({ code: 'ALREADY_OWNED', controller: theirs }));
});

test.each([
  ['in another namespace', object('other'), deployments, configMaps],
  ['that is cluster-scoped, with a namespaced owner', object(undefined), deployments, clusterWide],
])('[K-30] an owner reference for a child %s is refused', (_, child, of, what) => {
  for (const set of [setControllerReference, setOwnerReference]) {
    expect(() => set(owner, child, of, what)).toThrow(
      expect.objectContaining({ code: 'USER_CODE', layer: 'user-code' }),
    );
  }
});

test.each([
  ['namespaced', object('demo'), configMaps],
  ['cluster-scoped', object(undefined), clusterWide],
])('[K-30] a cluster-scoped owner may have a %s child', (_, child, resource) => {
  const fleet = object(undefined, { name: 'fleet', uid: 'f1' });

  const owned = setControllerReference(fleet, child, clusterWide, resource);

  expect(owned.metadata.ownerReferences).toMatchObject([
    { apiVersion: 'example.dev/v1', kind: 'Fleet', name: 'fleet', uid: 'f1', controller: true },
  ]);
});

test('[K-30] an owner that was not read from the server has no uid, and is refused', () => {
  const setting = () =>
    setControllerReference(object('demo'), object('demo'), deployments, configMaps);

  expect(setting).toThrow(expect.objectContaining({ code: 'USER_CODE' }));
});

test('[K-30] setOwnerReference adds an owner reference without `controller`, and only once', () => {
  const controlled = object('demo', { ownerReferences: [{ ...reference, uid: 'u9' }] });

  const once = setOwnerReference(owner, controlled, deployments, configMaps);
  const twice = setOwnerReference(owner, once, deployments, configMaps);

  const { controller: _, blockOwnerDeletion: __, ...plain } = reference;
  expect(once.metadata.ownerReferences).toEqual([{ ...reference, uid: 'u9' }, plain]);
  expect(twice).toBe(once);
});
