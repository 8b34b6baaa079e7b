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

/** The controllers to replay, and the key whose result is returned. */
export interface IncidentOptions {
  /**
   * The exports of the operator's module. Runnables and webhooks are not replayed, because a record
   * does not contain their actions.
   */
  readonly controllers: readonly (Controller | Runnable | Webhook)[];
  readonly key: string;
}

/** What the reconciles of a key have written in a replay, and how the last of them has ended. */
export interface IncidentEnd {
  /**
   * The objects of the kinds that the key's reconciles write, without generated values; sorted by
   * kind and name.
   */
  readonly objects: readonly KubernetesObject[];
  /** The writes of the key's reconciles, in order, such as `POST /api/v1/namespaces/demo/configmaps`. */
  readonly writes: readonly string[];
  /**
   * The outcome of the key's last reconcile, such as `success` or `error`. Undefined if that
   * reconcile did not end.
   */
  readonly outcome: string | undefined;
}

/** The implementation of `replayIncident`. */
export async function replayed(
  lines: readonly IncidentLine[],
  { controllers: exported, key }: IncidentOptions,
): Promise<IncidentEnd> {
  const record = incidentRecord(lines);
  const controllers = exported.filter(isController);
  const startCluster = recordedCluster;
  const found = await replay({ record, controllers, continues: true, startCluster });
  const { writes, outcome } = found.ofKey(key);
  return {
    objects: writtenObjects(found, lines, key),
    writes: writes.map(({ method, path }) => `${method} ${path.split('?')[0]}`),
    outcome,
  };
}

/** The objects of all collections that the key wrote to in the record or in the replay. */
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
