import { jsonOf } from 'chancery/internal-testing';
import type { ExchangeFacts } from './memory-transport.ts';
import type { StoredState } from './stored-state.ts';

/** The contents of the operator's caches, computed from the answers and events that it received. */
export class Caches {
  readonly #stored: StoredState;
  /** The content that the operator received, keyed by path of the collection and then by key. */
  readonly #shown = new Map<string, Map<string, string>>();

  constructor(stored: StoredState) {
    this.#stored = stored;
  }

  clear(): void {
    this.#shown.clear();
  }

  /** Records the answer of a list. Other answers are not cached. */
  answered({ method, path, isWatch }: ExchangeFacts, status: number, body: string): void {
    if (method !== 'GET' || isWatch || status !== 200) return;
    const list = jsonOf(body) as { readonly items?: readonly Shown[] } | undefined;
    if (list?.items === undefined) return;
    const objects = new Map<string, string>();
    for (const item of list.items) this.#put(objects, item);
    this.#shown.set(collectionOf(path), objects);
  }

  /** Records an event of a watch. */
  delivered({ path }: ExchangeFacts, line: string): void {
    const event = jsonOf(line) as { readonly type?: string; readonly object?: Shown } | undefined;
    const objects = this.#shown.get(collectionOf(path));
    if (event?.object?.metadata === undefined || objects === undefined) return;
    if (event.type === 'DELETED') objects.delete(keyOf(event.object));
    else if (event.type === 'ADDED' || event.type === 'MODIFIED') this.#put(objects, event.object);
  }

  get digest(): string {
    return [...this.#shown]
      .map(
        ([path, objects]) =>
          `${path}\n${[...objects]
            .map((each) => each.join('='))
            .sort()
            .join('\n')}`,
      )
      .sort()
      .join('\n\n');
  }

  #put(objects: Map<string, string>, object: Shown): void {
    const { resourceVersion = '' } = object.metadata;
    objects.set(keyOf(object), this.#stored.formOfVersion(resourceVersion));
  }
}

interface Shown {
  readonly metadata: {
    readonly namespace?: string;
    readonly name: string;
    readonly resourceVersion?: string;
  };
}

function keyOf({ metadata: { namespace = '', name } }: Shown): string {
  return `${namespace}/${name}`;
}

/**
 * The path at which a source lists and watches, with its selectors. Other query parameters are
 * dropped.
 */
function collectionOf(path: string): string {
  const [place = '', query = ''] = path.split('?', 2);
  const asked = new URLSearchParams(query);
  const selectors = ['labelSelector', 'fieldSelector'].map((name) => asked.get(name) ?? '');
  return [place, ...selectors].join(' ').trim();
}
