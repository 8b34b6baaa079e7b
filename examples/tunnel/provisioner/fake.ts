import type { Call, Host, HostRequest, Provisioner } from './provisioner.ts';

/** Addresses for documentation (RFC 5737): nobody is there. */
const NETWORK = '203.0.113';

interface FakeHost {
  readonly id: string;
  readonly ip: string;
  readonly request: Omit<HostRequest, 'token'>;
  readonly activeAtMs: number;
}

/**
 * A provider in memory, as strict as those that cost money: each request makes another host, so that
 * who asks twice pays twice. It forgets its hosts when the process ends.
 */
export class FakeProvisioner implements Provisioner {
  /** Every lookup, so that a test sees passes that changed nothing. */
  lookups = 0;
  readonly #hosts = new Map<string, FakeHost>();
  readonly #bootMs: number;
  #made = 0;

  /** @param bootMs - how long a host takes to become active. Default 0: the next lookup finds it so. */
  constructor({ bootMs = 0 }: { readonly bootMs?: number } = {}) {
    this.#bootMs = bootMs;
  }

  /** What is being paid for, oldest first. */
  get hosts(): readonly FakeHost[] {
    return [...this.#hosts.values()];
  }

  /** How many have ever been made. */
  get made(): number {
    return this.#made;
  }

  async find(uid: string, { clock }: Call): Promise<Host | undefined> {
    this.lookups += 1;
    const host = this.hosts.find(({ request }) => request.uid === uid);
    if (host === undefined) return undefined;
    const { id, ip, activeAtMs } = host;
    return clock.monotonic() < activeAtMs
      ? { id, status: 'provisioning' }
      : { id, status: 'active', ip };
  }

  async create({ token: _, ...request }: HostRequest, { clock }: Call): Promise<Host> {
    this.#made += 1;
    const id = `host-${this.#made}`;
    const ip = `${NETWORK}.${((this.#made - 1) % 254) + 1}`;
    const activeAtMs = clock.monotonic() + this.#bootMs;
    this.#hosts.set(id, { id, ip, request, activeAtMs });
    return { id, status: 'provisioning' };
  }

  async remove(uid: string): Promise<void> {
    for (const { id, request } of this.hosts) if (request.uid === uid) this.#hosts.delete(id);
  }

  /** The provider loses a host, as providers do. */
  lose(id: string): void {
    this.#hosts.delete(id);
  }
}
