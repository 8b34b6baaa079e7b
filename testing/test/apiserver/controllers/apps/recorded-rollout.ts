import { readFileSync } from 'node:fs';
import type { StoredObject } from '../../../../src/apiserver/objects/stored-object.ts';

/** A change that a watch of the recorded rollout reported. */
export interface RecordedChange {
  readonly atMs: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: StoredObject;
}

interface Chunk {
  readonly at: number;
  readonly data: string;
}

/** The changes of Deployments, ReplicaSets and Pods of the recorded rollout, in order of time. */
export function recordedRollout(): readonly RecordedChange[] {
  const file = new URL('../../../../../test/recordings/rollout.jsonl', import.meta.url);
  const watches = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).response.chunks as readonly Chunk[] | undefined);
  return watches
    .flatMap((chunks) => (chunks === undefined ? [] : [...changesIn(chunks)]))
    .filter(({ type }) => type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED')
    .filter(({ object }) => ['Deployment', 'ReplicaSet', 'Pod'].includes(object.kind))
    .toSorted((left, right) => left.atMs - right.atMs);
}

function* changesIn(chunks: readonly Chunk[]): Generator<RecordedChange, void, undefined> {
  let rest = '';
  for (const { at, data } of chunks) {
    const lines = (rest + data).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield { atMs: at, ...JSON.parse(line) };
  }
}

/** The objects of one kind as they were at a moment of the recording, in the order of their names. */
export function recordedState(kind: string, atMs: number): readonly StoredObject[] {
  const live = new Map<string, StoredObject>();
  for (const change of recordedRollout()) {
    if (change.atMs > atMs || change.object.kind !== kind) continue;
    if (change.type === 'DELETED') live.delete(change.object.metadata.name);
    else live.set(change.object.metadata.name, change.object);
  }
  return [...live.values()];
}
