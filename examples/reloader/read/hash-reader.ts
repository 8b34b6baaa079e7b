import type { KubernetesObject, Resource } from 'chancery';
import type { Reader } from 'chancery/low-level';

/** What is hashed: an object, or some keys of its data. */
export interface HashTarget {
  readonly namespace: string;
  readonly name: string;
  /** Sorted. Default: all. */
  readonly keys?: readonly string[] | undefined;
}

/** Names have no question mark, and keys no comma. */
function keyOf({ namespace, name, keys }: HashTarget): string {
  const whole = `${namespace}/${name}`;
  return keys === undefined ? whole : `${whole}?${keys.join(',')}`;
}

/** Payloads in memory at a time: a Secret or ConfigMap has up to 1 MiB. */
const MAX_READS = 6;

/** The identity of one state of an object: `UID/RESOURCEVERSION`. */
export function versionOf({ metadata }: KubernetesObject): string {
  return `${metadata.uid ?? ''}/${metadata.resourceVersion ?? ''}`;
}

interface Known {
  /** The states that have this hash: the one that was asked for, and the one that was read. */
  readonly versions: ReadonlySet<string>;
  readonly hash: string;
}

/** A read that several workloads wait for. */
interface Pending {
  readonly version: string;
  /** Of the reconcile that has begun the read. */
  readonly signal: AbortSignal;
  readonly answer: Promise<string | undefined>;
}

/**
 * Reads objects by GET and keeps only the hash of their content. One state of an object is read once, whatever
 * the number of workloads that want it. The payload is dropped as soon as it is hashed.
 */
export class HashReader<T extends KubernetesObject> {
  readonly #resource: Resource<T>;
  readonly #hashOf: (object: T, keys: readonly string[] | undefined) => string;
  readonly #known = new Map<string, Known>();
  readonly #pending = new Map<string, Pending>();
  readonly #limit: Limit;

  /** @param limit - shared by the readers of a process. */
  constructor(
    resource: Resource<T>,
    hashOf: (object: T, keys: readonly string[] | undefined) => string,
    limit: Limit = new Limit(),
  ) {
    this.#resource = resource;
    this.#hashOf = hashOf;
    this.#limit = limit;
  }

  /**
   * The hash of the object as of `version` or newer; undefined when it is gone.
   *
   * @throws ApiError and the like. A read that fails for one caller is tried again by the next one.
   */
  async hash(
    target: HashTarget,
    version: string,
    { client, signal }: { readonly client: Reader; readonly signal: AbortSignal },
  ): Promise<string | undefined> {
    const key = keyOf(target);
    for (;;) {
      const known = this.#known.get(key);
      if (known?.versions.has(version) === true) return known.hash;
      const pending = this.#pending.get(key);
      if (pending === undefined) return this.#begin(key, target, version, { client, signal });
      if (pending.version === version) {
        try {
          return await pending.answer;
        } catch (error) {
          // The reconcile that had begun the read was ended; this one was not.
          signal.throwIfAborted();
          if (!pending.signal.aborted) throw error;
        }
      } else await pending.answer.catch(() => {});
      signal.throwIfAborted();
    }
  }

  /** Forgets the hash of an object that no workload wants. */
  forget(target: Omit<HashTarget, 'keys'>): void {
    const whole = keyOf(target);
    for (const key of this.#known.keys()) {
      if (key === whole || key.startsWith(`${whole}?`)) this.#known.delete(key);
    }
  }

  /** Hashes in memory. */
  get size(): number {
    return this.#known.size;
  }

  #begin(
    key: string,
    { namespace, name, keys }: HashTarget,
    version: string,
    { client, signal }: { readonly client: Reader; readonly signal: AbortSignal },
  ): Promise<string | undefined> {
    const read = async (): Promise<string | undefined> => {
      const object = await client.find(this.#resource, { namespace, name }, { signal });
      if (object === undefined) {
        this.#known.delete(key);
        return undefined;
      }
      const hash = this.#hashOf(object, keys);
      this.#known.set(key, { versions: new Set([version, versionOf(object)]), hash });
      return hash;
    };
    const answer = this.#limit.run(read).finally(() => this.#pending.delete(key));
    this.#pending.set(key, { version, signal, answer });
    return answer;
  }
}

/** Lets so many pieces of work run at a time; the others wait in order. */
export class Limit {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(most: number = MAX_READS) {
    this.#most = most;
  }

  async run<R>(work: () => Promise<R>): Promise<R> {
    if (this.#running >= this.#most) await new Promise<void>((go) => this.#waiting.push(go));
    else this.#running++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
