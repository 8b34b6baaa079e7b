import type { OwnerReference } from 'chancery';
import { sortedDeep } from '../../objects/canonical.ts';
import { jsonText } from '../../objects/json-text.ts';
import { jsonEquals } from '../../objects/json-value.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import type { PodSpec } from './pod.ts';

/** The template of Pods. */
export interface PodTemplate {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly spec: PodSpec;
}

/** The label that distinguishes the Pods of one Deployment's ReplicaSets. */
export const POD_TEMPLATE_HASH = 'pod-template-hash';

/** A reference that makes `owner` the controller of its dependent. */
export function controllerReference(owner: StoredObject): OwnerReference {
  const { apiVersion, kind, metadata } = owner;
  return {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A new Pod from a template. */
export function podFrom(
  template: PodTemplate,
  owner: StoredObject,
  name: { readonly name: string } | { readonly generateName: string },
  labels: Readonly<Record<string, string>> = {},
): StoredObject {
  const { annotations, finalizers } = template.metadata ?? {};
  const metadata = {
    ...name,
    ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
    labels: { ...template.metadata?.labels, ...labels },
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ownerReferences: [controllerReference(owner)],
  };
  // The server generates the name.
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: '', ...metadata },
    spec: template.spec,
  };
}

/** True when two templates make the same Pods. The label with the hash is ignored. */
export function sameTemplate(left: PodTemplate, right: PodTemplate): boolean {
  return jsonEquals(withoutHash(left), withoutHash(right));
}

function withoutHash(template: PodTemplate): PodTemplate {
  const { [POD_TEMPLATE_HASH]: _, ...labels } = template.metadata?.labels ?? {};
  return { ...template, metadata: { ...template.metadata, labels } };
}

/** Letters that form no words. The server uses the same letters for generated names. */
const SAFE_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/**
 * A short name for a template. Equal templates get equal names. This is not the hash of
 * kube-controller-manager, which hashes Go's memory layout: only its length, its letters and its purpose are
 * the same.
 *
 * @param collisions - how often the name of this template was already taken by another template.
 */
export function templateHash(template: object, collisions: number): string {
  let hash = 0x811c9dc5; // FNV-1a, 32 bits
  for (const byte of Buffer.from(`${canonicalJson(template)}${collisions || ''}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  return [...String(hash)]
    .map((digit) => SAFE_LETTERS[digit.charCodeAt(0) % SAFE_LETTERS.length])
    .join('');
}

/** JSON with sorted fields in every object. */
function canonicalJson(value: unknown): string {
  return jsonText(sortedDeep(value));
}

export const PODS: ResourceName = 'pods';
