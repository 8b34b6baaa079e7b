import type { KubernetesObject } from 'chancery';

/** One page of a list. */
export interface Page {
  readonly items: readonly KubernetesObject[];
  readonly resourceVersion: string;
  readonly continueToken: string | undefined;
}

interface Snapshot {
  readonly objects: readonly KubernetesObject[];
  readonly resourceVersion: string;
}

/** Lists that are being read. All pages of a list have the state of the first page. */
export class ScriptedPages {
  readonly #snapshots = new Map<string, Snapshot>();
  #made = 0;

  /** The requested page; undefined when its token has expired. */
  next(
    { limit, continue: token }: Readonly<Record<string, string>>,
    objects: readonly KubernetesObject[],
    resourceVersion: string,
  ): Page | undefined {
    const [name = '', offset = '0'] = token?.split(':') ?? [`list-${++this.#made}`];
    if (token === undefined) this.#snapshots.set(name, { objects, resourceVersion });
    const snapshot = this.#snapshots.get(name);
    if (snapshot === undefined) return undefined;
    const from = Number(offset);
    const until = Number(limit ?? 0) > 0 ? from + Number(limit) : snapshot.objects.length;
    const more = until < snapshot.objects.length;
    if (!more) this.#snapshots.delete(name);
    return {
      items: snapshot.objects.slice(from, until),
      resourceVersion: snapshot.resourceVersion,
      continueToken: more ? `${name}:${until}` : undefined,
    };
  }

  /** Makes every token invalid. */
  expire(): void {
    this.#snapshots.clear();
  }
}
