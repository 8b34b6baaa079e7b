import type { KubernetesObject } from 'chancery';
import type { StorageSnapshot } from '../../apiserver/storage/snapshot.ts';
import type { StorageEvent } from '../../apiserver/storage/storage.ts';
import { identityOf, normalForm, type Renamed, shortName } from '../scenario/normal-form.ts';
import type { LoggedWrite } from '../scenario/scenario.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const UUID_LENGTH = 36;
const VERSION = /"resourceVersion":"(\d+)"/g;
const TIMES = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.]\d+)?Z/g;

/** The stored objects at one moment of a run. They can be compared with the stored objects of other runs. */
export class StoredState {
  /** The objects, with keys such as `deployments.apps default/demo`. */
  readonly #objects = new Map<string, KubernetesObject>();
  /**
   * How many objects with the same identity were created so far. An object that is deleted and created again
   * counts as a different object.
   */
  readonly #incarnations = new Map<string, number>();
  /** The string that replaces each uid and generated name. */
  readonly #names = new Map<string, string>();
  /** The generated names in `#names`. */
  readonly #generated: string[] = [];
  readonly #uids = new Map<string, string>();
  /** The normal forms of all objects that have changed since the beginning, by resource and key. */
  readonly #forms = new Map<string, string>();
  /** The normal form of each version of an object, keyed by resourceVersion. */
  readonly #byVersion = new Map<string, string>();

  constructor(base: StorageSnapshot) {
    for (const [resource, { objects }] of base.collections) {
      for (const [key, object] of objects) {
        this.#objects.set(`${resource} ${key}`, object);
        this.#identify(object);
      }
    }
  }

  apply(resource: string, { type, key, object }: StorageEvent): void {
    const id = `${resource} ${key}`;
    if (type === 'ADDED') this.#identify(object);
    const form = this.#digest(object);
    this.#byVersion.set(object.metadata.resourceVersion ?? '', form);
    if (type === 'DELETED') {
      this.#objects.delete(id);
      this.#forms.set(id, '-');
    } else {
      this.#objects.set(id, object);
      this.#forms.set(id, form);
    }
  }

  /** The body of a request or answer without uids, versions and generated names. */
  plain(text: string): string {
    return text
      .replace(UUID, (uid) => this.#names.get(uid) ?? uid)
      .replace(
        VERSION,
        (_all, version: string) => `"resourceVersion":${this.formOfVersion(version)}`,
      )
      .replace(TIMES, '(time)');
  }

  get objects(): Iterable<KubernetesObject> {
    return this.#objects.values();
  }

  /** The normal form of the object with this resourceVersion. */
  formOfVersion(resourceVersion: string): string {
    return this.#byVersion.get(resourceVersion) ?? resourceVersion;
  }

  /** A digest of the normal forms of all objects that have changed since the beginning. */
  get digest(): string {
    return [...this.#forms]
      .map(([id, form]) => `${id}=${form}`)
      .sort()
      .join('\n');
  }

  /**
   * The stored objects, for comparison with the end of other runs. Maps each identity to normal
   * forms. Several objects can have the same identity, because generated names are ignored.
   */
  comparable(
    ignore: (object: KubernetesObject) => KubernetesObject | undefined,
  ): ReadonlyMap<string, readonly string[]> {
    const living = new Set([...this.#objects.values()].map(({ metadata }) => metadata.uid));
    const renamed = (text: string): string | undefined => {
      const owner = this.#uids.get(text);
      if (owner === undefined) return this.#names.get(text);
      return living.has(text) ? `(uid of ${owner})` : `(uid of a former ${owner})`;
    };
    const inTexts = (text: string): string | undefined => this.#renamed(text, renamed);
    const all = new Map<string, string[]>();
    for (const object of this.#objects.values()) {
      const kept = ignore(structuredClone(object));
      const form = kept && normalForm(kept, inTexts);
      if (form === undefined) continue;
      const identity = identityOf(object, inTexts);
      const forms = all.get(identity) ?? [];
      forms.push(form);
      all.set(identity, forms);
    }
    for (const forms of all.values()) forms.sort();
    return all;
  }

  #identify(object: KubernetesObject): void {
    const { uid, generateName, name } = object.metadata;
    const identity = identityOf(object, (text) => this.#renamed(text));
    if (uid !== undefined && !this.#uids.has(uid)) {
      const incarnation = (this.#incarnations.get(identity) ?? 0) + 1;
      this.#incarnations.set(identity, incarnation);
      this.#uids.set(uid, identity);
      this.#names.set(uid, `(uid of ${identity} ${incarnation})`);
    }
    if (generateName === undefined) return;
    this.#names.set(name, `${generateName}*`);
    this.#generated.push(name);
  }

  /** `text` with uids and generated names replaced. Undefined if it contains none. */
  #renamed(text: string, nameOf: Renamed = (name) => this.#names.get(name)): string | undefined {
    const whole = nameOf(text);
    if (whole !== undefined) return whole;
    let changed =
      text.length < UUID_LENGTH ? text : text.replace(UUID, (uid) => nameOf(uid) ?? uid);
    for (const name of this.#generated) {
      if (changed.includes(name)) changed = changed.replaceAll(name, nameOf(name) ?? name);
    }
    return changed === text ? undefined : changed;
  }

  #digest(object: KubernetesObject): string {
    return normalForm(object, (text) => this.#renamed(text)) ?? '';
  }
}

/** The entry for an event of the storage in the log of writes. */
export function writeOf(
  { type, object, previous }: StorageEvent,
  facts: Pick<LoggedWrite, 'by' | 'atMs' | 'step'>,
): LoggedWrite {
  const verb = ({ ADDED: 'create', MODIFIED: 'update', DELETED: 'delete' } as const)[type];
  return { ...facts, verb, object, before: previous };
}

/** A write as a sentence: `the operator creates Deployment demo`. */
export function sentenceOf({ by, verb, object }: LoggedWrite): string {
  const who = { operator: 'the operator', change: 'the change', cluster: 'the cluster' }[by];
  const does = { create: 'creates', update: 'changes', delete: 'removes' }[verb];
  return `${who} ${does} ${shortName(object)}`;
}
