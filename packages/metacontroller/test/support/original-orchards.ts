/**
 * Metacontroller as a short writer: what it leaves of a parent with trees that were moved by a rolling update, derived by
 * hand from its contract. It shares no code with what is tested.
 */
import { createHash } from 'node:crypto';
import type { Place } from '../../../../examples/testing/started-place.ts';
import type { KubernetesObject } from '../../../../operator/index.ts';
import type { Orchard } from '../../../../test/support/orchards.ts';

/** The parts of an object that this writer decides. */
export type Left = Record<string, unknown> & {
  readonly metadata: Readonly<Record<string, unknown>>;
};

const LAST_APPLIED = 'metacontroller.k8s.io/last-applied-configuration';

/** Compact JSON with sorted keys. */
function json(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return Array.isArray(value) ? `[${value.map(json).join(',')}]` : JSON.stringify(value);
  }
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${json(member)}`).join(',')}}`;
}

function owner({ kind, metadata }: Orchard): object {
  return {
    apiVersion: 'fruit.example/v1',
    kind,
    name: metadata.name,
    uid: metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** A tree as the hook answered it, with the annotation and the label that Metacontroller adds. */
export function originalTree(parent: Orchard, name: string, taste: string): Left {
  const { namespace, uid = '' } = parent.metadata;
  const labels = { 'controller-uid': uid };
  const answered = {
    apiVersion: 'fruit.example/v1',
    kind: 'Tree',
    metadata: { name, namespace, labels },
    spec: { taste },
  };
  const annotations = { [LAST_APPLIED]: json(answered) };
  const metadata = { ...answered.metadata, annotations, ownerReferences: [owner(parent)] };
  return { ...answered, metadata };
}

/** Name of the revision of a spec. */
export function originalName({ kind, metadata }: Orchard, spec: object): string {
  const hash = createHash('sha1')
    .update(`${metadata.uid}${json({ spec })}`)
    .digest('hex');
  return `${kind.toLowerCase()}s.fruit.example-${hash}`;
}

export function originalRevision(parent: Orchard, spec: object, names: readonly string[]): Left {
  return {
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind: 'ControllerRevision',
    metadata: {
      name: originalName(parent, spec),
      namespace: parent.metadata.namespace,
      labels: {
        'controller-uid': parent.metadata.uid,
        'metacontroller.k8s.io/apiGroup': 'fruit.example',
        'metacontroller.k8s.io/resource': `${parent.kind.toLowerCase()}s`,
      },
      ownerReferences: [owner(parent)],
    },
    parentPatch: { spec },
    children: [{ apiGroup: 'fruit.example', kind: 'Tree', names }],
  };
}

/** The status of a parent whose hook answers `{ trees }`, when all children are on the latest revision. */
export function originalStatus(parent: Orchard): object {
  const message = `latest ControllerRevision: ${originalName(parent, parent.spec)}`;
  return {
    trees: parent.spec.trees.length,
    observedGeneration: parent.metadata.generation,
    conditions: [{ type: 'Updated', status: 'True', reason: 'OnLatestRevision', message }],
  };
}

/** Writes what is left of a rolling update. */
export async function leaveBehind(
  { env }: Place,
  parent: Orchard,
  objects: readonly Left[],
): Promise<void> {
  for (const object of objects) await env.create(object as unknown as KubernetesObject);
  const { apiVersion, kind, metadata } = parent;
  const status = originalStatus(parent);
  await env.patch(apiVersion, kind, metadata.namespace, metadata.name, { status }, 'status');
}
