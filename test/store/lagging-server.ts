import type { WatchEvent } from '../../operator/model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import type {
  ListPage,
  ListPageRequest,
  ListWatch,
  WatchRequest,
} from '../../operator/watch/list-watch.ts';
import { expired, OpenWatch, type Thing, type ThingEvent } from '../support/fake-collection.ts';
import { textEntry } from '../support/text-entry.ts';

/** What one name was, from one revision on; undefined where the selector does not select it. */
interface Moment {
  readonly revision: number;
  readonly state: Thing | undefined;
}

/**
 * A collection whose watch shows as much as a test lets through, and whose lists show the time at
 * which they were asked for, however late they are answered. It selects the label `app=web`.
 */
export class LaggingServer implements ListWatch<Thing> {
  #revision = 96; // so that numbers grow a digit on the way
  #uid = 0;
  readonly live = new Map<string, Thing>();
  readonly #events: { readonly revision: number; readonly event: ThingEvent }[] = [];
  readonly #moments = new Map<string, Moment[]>();
  readonly #heldLists: (() => void)[] = [];
  /** Lists wait for `answerLists`. */
  holdsLists = false;
  #watch: OpenWatch | undefined;
  #sent = 0;

  get revision(): number {
    return this.#revision;
  }

  /** What `name` was at `revision`, and all that it has been since; undefined stands for absent. */
  statesSince(name: string, revision: number): (Thing | undefined)[] {
    const moments = this.#moments.get(name) ?? [];
    const before = moments.filter((moment) => moment.revision <= revision).at(-1);
    const after = moments.filter((moment) => moment.revision > revision);
    return [before?.state, ...after.map(({ state }) => state)];
  }

  put(name: string, value: number, change: Partial<ObjectMeta> = {}): Thing {
    const old = this.live.get(name);
    const metadata: ObjectMeta = {
      name,
      namespace: 'demo',
      uid: old?.metadata.uid ?? `uid-${++this.#uid}`,
      labels: { app: 'web' },
      ...old?.metadata,
      ...change,
      resourceVersion: String(++this.#revision),
    };
    const object: Thing = { apiVersion: 'v1', kind: 'Thing', metadata, value };
    this.#commit(name, old, object);
    return object;
  }

  remove(name: string): void {
    const old = this.live.get(name);
    this.#revision++;
    this.#commit(name, old, undefined);
  }

  /** Lets the watch show the next `count` events. */
  deliver(count: number): void {
    const watch = this.#watch;
    if (watch === undefined || watch.ended) return;
    const next = this.#events.slice(this.#sent, this.#sent + count);
    this.#sent += next.length;
    watch.send(...next.map(({ event }) => event));
  }

  /** Lets the watch show everything, and say how far that is. */
  deliverAll(): void {
    this.deliver(this.#events.length);
    if (this.#watch?.ended !== false) return;
    const resourceVersion = String(this.#revision);
    this.#watch.send({ type: 'BOOKMARK', resourceVersion, initialEventsEnd: false });
  }

  /** Ends the watch such that a list must follow. */
  expire(): void {
    this.#watch?.fail(expired());
  }

  answerLists(): void {
    for (const answer of this.#heldLists.splice(0)) answer();
  }

  async listPage(request: ListPageRequest): Promise<ListPage<Thing>> {
    const page = {
      items: [...this.live.values()].filter(isSelected).map((thing) => textEntry(thing)),
      resourceVersion: String(this.#revision),
      continueToken: undefined,
    };
    if (this.holdsLists) {
      await new Promise<void>((resolve) => {
        this.#heldLists.push(resolve);
        request.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    request.signal.throwIfAborted();
    return page;
  }

  async watch(request: WatchRequest): Promise<AsyncIterable<readonly WatchEvent<Thing>[]>> {
    const from = Number(request.resourceVersion);
    this.#watch = new OpenWatch(request);
    this.#sent = this.#events.filter(({ revision }) => revision <= from).length;
    return this.#watch.events();
  }

  #commit(name: string, old: Thing | undefined, object: Thing | undefined): void {
    if (object === undefined) this.live.delete(name);
    else this.live.set(name, object);
    const was = old !== undefined && isSelected(old);
    const is = object !== undefined && isSelected(object);
    const moments = this.#moments.get(name) ?? [];
    moments.push({ revision: this.#revision, state: is ? object : undefined });
    this.#moments.set(name, moments);
    const event = eventOf(was ? old : undefined, is ? object : undefined, String(this.#revision));
    if (event !== undefined) this.#events.push({ revision: this.#revision, event });
  }
}

function isSelected({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.app === 'web';
}

function eventOf(
  old: Thing | undefined,
  object: Thing | undefined,
  resourceVersion: string,
): ThingEvent | undefined {
  if (object !== undefined) return { type: old === undefined ? 'ADDED' : 'MODIFIED', object };
  if (old === undefined) return undefined;
  return { type: 'DELETED', object: { ...old, metadata: { ...old.metadata, resourceVersion } } };
}
