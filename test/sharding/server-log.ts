import { isDeepStrictEqual } from 'node:util';
import { SLOTS, slotOf } from '../../operator/model/shard/field-hash.ts';
import { isWrite, type Replicas } from '../leadership/replicas.ts';
import type { Commit, ServerLog } from './judge.ts';

const LEASE_OF_GROUP = /^mirror-leader-group-(\d+)$/;

interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid?: string | undefined;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec?: { readonly holderIdentity?: string | null };
}

/** Writes down what the server stores of the Leases of groups, of the objects and of their mirrors. */
export class Recorder {
  readonly #commits: Commit[] = [];
  readonly #groups = new Map<string, number>();
  readonly #holders = new Map<number, string | undefined>();
  readonly #place: Replicas;

  /** @param groups - how many there are. */
  constructor(place: Replicas, groups: number) {
    this.#place = place;
    place.server.subscribe((resource, { type, object, previous }) => {
      const stored = object as unknown as Stored;
      const { name, uid = '', labels } = stored.metadata;
      const atMs = performance.now();
      const [, group] = LEASE_OF_GROUP.exec(name) ?? [];
      if (resource.startsWith('leases.') && group !== undefined) {
        const holder = type === 'DELETED' ? undefined : podOf(stored.spec?.holderIdentity);
        this.#commits.push({ kind: 'lease', group: Number(group), holder, atMs });
        this.#holders.set(Number(group), holder);
      } else if (resource === 'configmaps' && labels?.app === 'mirrored') {
        this.#groups.set(name, Math.floor((slotOf(uid) * groups) / SLOTS));
        this.#commits.push({ kind: 'change', object: name, text: stored.data?.text ?? '', atMs });
      } else if (resource === 'secrets') {
        // A replica may change metadata only, beside a text and a name that another one wrote.
        if (isDeepStrictEqual(stored.data, (previous as Stored | undefined)?.data)) return;
        const [text, by] = [decoded(stored.data?.of), decoded(stored.data?.by)];
        this.#commits.push({ kind: 'mirror', object: name, text, by, atMs });
      }
    });
  }

  /** In the order in which the server has stored them. */
  get commits(): readonly Commit[] {
    return this.#commits;
  }

  /** The replicas that hold a group, by its Lease. */
  get holders(): ReadonlySet<string | undefined> {
    return new Set(this.#holders.values());
  }

  /** What the server has seen until now, judged from `fromMs` on. */
  log(fromMs: number): ServerLog {
    const writings = this.#place.arrivals
      .filter(({ call, isHeld }) => call.resource === 'secrets' && isWrite(call) && !isHeld)
      // A creation does not say the name. Two of one object cannot both succeed, and the commit says who wrote it.
      .filter(({ call }) => call.name !== undefined)
      .map(({ who, call, atMs, endedAtMs }) => ({
        who,
        object: call.name ?? '',
        fromMs: atMs,
        toMs: endedAtMs,
      }));
    const toMs = performance.now();
    return { commits: this.#commits, writings, groups: this.#groups, fromMs, toMs };
  }
}

/** The identity of a candidate begins with the name of its Pod. */
function podOf(identity: string | null | undefined): string | undefined {
  return identity ? identity.split('_', 1)[0] : undefined;
}

function decoded(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString();
}
