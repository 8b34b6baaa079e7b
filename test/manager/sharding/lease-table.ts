/** The Leases of a namespace as an API server keeps them, for replicas that are nothing but `Sharding`. */
import type { FakeClock } from '@chancery/testing';
import type { Stored } from '../../../operator/client/client.ts';
import { sleep } from '../../../operator/core/clock.ts';
import type { ShardingOptions } from '../../../operator/manager/sharding/sharding.ts';
import type { Lease } from '../../../operator/model/builtin.ts';
import { ApiError } from '../../../operator/model/status.ts';

const NEVER = new AbortController().signal;

/** How long each request takes there and back. */
const WAY_MS = 5;

export class LeaseTable {
  readonly leases = new Map<string, Stored<Lease>>();
  /** Requests by verb and replica. */
  readonly requests: { readonly who: string; readonly verb: string; readonly name: string }[] = [];
  readonly #clock: FakeClock;
  #versions = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  clientOf(who: string): ShardingOptions['client'] {
    const send = async (verb: string, name: string, carryOut: () => unknown): Promise<never> => {
      await sleep(this.#clock, WAY_MS, NEVER);
      this.requests.push({ who, verb, name });
      const answer = structuredClone(carryOut());
      await sleep(this.#clock, WAY_MS, NEVER);
      return answer as never;
    };
    const of = (object: object): Lease => object as Lease;
    return {
      list: () => send('list', '', () => [...this.leases.values()]),
      find: (_, { name }) => send('get', name, () => this.leases.get(name)),
      create: (_, object) =>
        object.kind === 'Event'
          ? send('event', '', () => object)
          : send('create', nameOf(of(object)), () => this.#create(of(object))),
      update: (_, object) => send('update', nameOf(of(object)), () => this.#update(of(object))),
    };
  }

  #create(lease: Lease): Stored<Lease> {
    if (this.leases.has(nameOf(lease))) throw failure('AlreadyExists');
    return this.#store(lease);
  }

  #update(lease: Lease): Stored<Lease> {
    const found = this.leases.get(nameOf(lease))?.metadata;
    if (found?.resourceVersion !== lease.metadata.resourceVersion) throw failure('Conflict');
    return this.#store(lease);
  }

  #store(lease: Lease): Stored<Lease> {
    const name = nameOf(lease);
    const metadata = { ...lease.metadata, uid: name, resourceVersion: String(++this.#versions) };
    const stored = { ...structuredClone(lease), metadata } as Stored<Lease>;
    this.leases.set(name, stored);
    return stored;
  }
}

function nameOf({ metadata: { name = '' } }: Lease): string {
  return name;
}

function failure(reason: string): ApiError {
  return new ApiError({ code: 409, reason, message: 'leases.coordination.k8s.io' });
}
