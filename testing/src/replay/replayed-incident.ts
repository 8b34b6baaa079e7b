import type { Controller, KubernetesObject, Runnable, Webhook } from 'chancery';
import {
  type IncidentLine,
  incidentRecord,
  isController,
  type Replay,
  replay,
} from 'chancery/internal';
import { withoutServerFields } from '../env/server-fields.ts';
import { recordedCluster } from './recorded-cluster.ts';

/** What is replayed, and of which key the end is told. */
export interface IncidentOptions {
  /** What the operator's module exports. Runnables and webhooks are not replayed: a record does not have what they did. */
  readonly controllers: readonly (Controller | Runnable | Webhook)[];
  readonly key: string;
}

/** What a key came to in a replay. */
export interface IncidentEnd {
  /** The objects of the kinds that the key's reconciles write, without what a server makes up; by kind and name. */
  readonly objects: readonly KubernetesObject[];
  /** The writes of its reconciles, such as `POST /api/v1/namespaces/demo/configmaps`, in their order. */
  readonly writes: readonly string[];
  /** How its last reconcile ended, as `success` or `error`. Undefined when it did not end. */
  readonly outcome: string | undefined;
}

/** Does what `replayIncident` says. */
export async function replayed(
  lines: readonly IncidentLine[],
  { controllers: exported, key }: IncidentOptions,
): Promise<IncidentEnd> {
  const record = incidentRecord(lines);
  const controllers = exported.filter(isController);
  const startCluster = recordedCluster;
  const found = await replay({ record, controllers, goesOn: true, startCluster });
  const { writes, outcome } = found.ofKey(key);
  return {
    objects: writtenObjects(found, lines, key),
    writes: writes.map(({ method, path }) => `${method} ${path.split('?')[0]}`),
    outcome,
  };
}

/** Of all collections that the key wrote to in the record or writes to now. */
function writtenObjects(
  { objects, ofKey, collectionOf }: Replay,
  lines: readonly IncidentLine[],
  key: string,
): readonly KubernetesObject[] {
  const recorded = lines.flatMap((line) =>
    line.kind === 'request' && line.by?.key === key && line.method !== 'GET' ? [line.path] : [],
  );
  const paths = [...recorded, ...ofKey(key).writes.map(({ path }) => path)];
  const collections = new Set(paths.flatMap((path) => collectionOf(path) ?? []));
  const found = [...collections].flatMap((collection) => objects.list(collection, undefined));
  return found.map(withoutServerFields).sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
}

function nameOf({ kind, metadata: { namespace = '', name } }: KubernetesObject): string {
  return [kind, namespace, name].join(' ');
}
