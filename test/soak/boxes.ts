import type { ApiServer } from '@chancery/testing';
import { type KubernetesObject, type ObjectKey, objectKey } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';

/** A kind of its own with any content: the operator's children, and objects that are nested deep. */
export interface Box extends KubernetesObject {
  readonly spec?: unknown;
}

export const boxes = defineResource<Box>({
  group: 'soak.example',
  version: 'v1',
  plural: 'boxes',
  kind: 'Box',
  namespaced: true,
});

const BOX = { apiVersion: 'soak.example/v1', kind: 'Box' } as const;

export function defineBoxes(server: ApiServer): void {
  const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  create(server, {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boxes.soak.example' },
    spec: {
      group: 'soak.example',
      scope: 'Namespaced',
      names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
}

const CHILD = 'child-';

/** The child of an object of this name. */
export function childName(name: string): string {
  return `${CHILD}${name}`;
}

export function isChild({ metadata }: KubernetesObject): boolean {
  return metadata.name.startsWith(CHILD);
}

/** Of a box that is no child, its own. */
export function ownerKeyOf({ metadata }: Box): ObjectKey {
  const { name, namespace } = metadata;
  return objectKey(namespace, name.startsWith(CHILD) ? name.slice(CHILD.length) : name);
}

/** The object of which it is the child. */
export function ownerUidOf(box: Box | undefined): string | undefined {
  return (box?.spec as { of?: string } | undefined)?.of;
}

/** A child, which says of which object it is the child. */
export function childOf({ metadata }: KubernetesObject): Box {
  const { name, namespace = '', uid } = metadata;
  return { ...BOX, metadata: { name: childName(name), namespace }, spec: { of: uid } };
}

/** Maps inside of maps. */
export function nestedBox(namespace: string, name: string, levels: number): Box {
  let spec: object = { end: true };
  for (let level = 1; level < levels; level++) spec = { a: spec };
  return { ...BOX, metadata: { name, namespace }, spec };
}

const POLICY = 'no-children';

/** From now on every write of a child is denied. */
export function denyChildren(server: ApiServer): void {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const rule = { apiGroups: ['soak.example'], apiVersions: ['v1'], resources: ['boxes'] };
  create(server, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: POLICY },
    spec: {
      matchConstraints: { resourceRules: [{ ...rule, operations: ['CREATE', 'UPDATE'] }] },
      validations: [{ expression: "!object.metadata.name.startsWith('child-')" }],
    },
  });
  create(server, {
    apiVersion,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: POLICY },
    spec: { policyName: POLICY, validationActions: ['Deny'] },
  });
}

export function allowChildren(server: ApiServer): void {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  for (const kind of ['ValidatingAdmissionPolicyBinding', 'ValidatingAdmissionPolicy']) {
    server.delete(apiVersion, kind, undefined, POLICY);
  }
}

/** One sentence for each child that is missing, left over or of a former owner. */
export function childDifferences(
  owners: Iterable<KubernetesObject>,
  children: Iterable<Box>,
): readonly string[] {
  const wrong: string[] = [];
  const found = new Map([...children].map((box) => [placeOf(box), box]));
  for (const owner of owners) {
    const wanted = childOf(owner);
    const place = placeOf(wanted);
    const of = ownerUidOf(found.get(place));
    if (!found.delete(place)) wrong.push(`${place} is missing`);
    else if (of !== owner.metadata.uid)
      wrong.push(`${place} is of ${of}, not of ${owner.metadata.uid}`);
  }
  for (const place of found.keys()) wrong.push(`${place} is left over`);
  return wrong;
}

function placeOf({ metadata }: KubernetesObject): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function create(server: ApiServer, object: object): void {
  server.create(object as KubernetesObject);
}
