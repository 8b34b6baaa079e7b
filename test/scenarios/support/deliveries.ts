import type { ConfigMap } from '../../../operator/model/builtin.ts';
import { isOlder } from '../../../operator/model/object.ts';
import type { Change } from '../../../operator/store/change.ts';

/** What handlers were told, and whether it can be true. */
export class Deliveries {
  /** `add a@101`, `update a@102`, `delete a@103`, with `?` for a delete that nobody saw. */
  readonly told: string[] = [];
  readonly changes: Change<ConfigMap>[] = [];

  take(changes: readonly Change<ConfigMap>[]): void {
    this.changes.push(...changes);
    for (const change of changes) {
      const { name, resourceVersion } = change.object.metadata;
      const unseen = change.type === 'delete' && change.finalStateUnknown ? '?' : '';
      this.told.push(`${change.type} ${name}@${resourceVersion}${unseen}`);
    }
  }

  /** `name uid resourceVersion` of what has been added and not deleted, sorted. */
  alive(): readonly string[] {
    const alive = new Map<string, string>();
    for (const { type, key, object } of this.changes) {
      const { name, uid, resourceVersion } = object.metadata;
      if (type === 'delete') alive.delete(key);
      else alive.set(key, `${name} ${uid} ${resourceVersion}`);
    }
    return [...alive.values()].sort();
  }

  /**
   * Breaches of the promise: each incarnation (uid) is added once, then updated to ever newer
   * versions, then deleted at most once; and no two of one name live at a time.
   */
  problems(): readonly string[] {
    const problems: string[] = [];
    const living = new Map<string, { uid: string | undefined; version: string }>();
    const buried = new Set<string | undefined>();
    for (const [index, change] of this.changes.entries()) {
      const { uid, resourceVersion: version = '' } = change.object.metadata;
      const now = living.get(change.key);
      const wrong = breach(change, now, buried.has(uid));
      if (wrong !== undefined) problems.push(`${this.told[index]}: ${wrong}`);
      if (change.type === 'delete') {
        living.delete(change.key);
        buried.add(now?.uid);
      } else {
        living.set(change.key, { uid, version });
      }
    }
    return problems;
  }
}

function breach(
  { type, object }: Change<ConfigMap>,
  now: { readonly uid: string | undefined; readonly version: string } | undefined,
  isBuried: boolean,
): string | undefined {
  const { uid, resourceVersion = '' } = object.metadata;
  if (isBuried) return 'it was deleted before';
  if (type === 'add') return now === undefined ? undefined : 'it is there already';
  if (now === undefined) return 'it is not there';
  if (now.uid !== uid) return 'it is another of the same name';
  if (type === 'delete') return undefined;
  if (now.version === resourceVersion) return 'it is the same version again';
  return isOlder(resourceVersion, now.version) ? 'it goes backwards' : undefined;
}
