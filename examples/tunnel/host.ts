import { type ReconcileContext, rfc3339 } from 'chancery';
import { CONTROL_PORT } from './client-deployment.ts';
import { NotYet } from './outcome.ts';
import type { Host, Provisioner } from './provisioner/provisioner.ts';
import type { Settings } from './settings.ts';
import { tokenOf } from './token.ts';
import { type Tunnel, type TunnelFacts, tunnels, uidOf } from './tunnel.ts';

export type Facts = { -readonly [Name in keyof TunnelFacts]: TunnelFacts[Name] };

export interface HostOptions {
  readonly provisioner: Provisioner;
  readonly settings: Pick<Settings, 'missingMs' | 'pollMs'>;
}

/**
 * The host of a Tunnel, asked for if there is none. What is known of it goes to `facts`, which only
 * report: what counts is that the provisioner knows a host by the Tunnel's uid.
 *
 * @throws NotYet when it may not be asked for. @throws ProvisionerError
 */
export async function ensureHost(
  tunnel: Tunnel,
  ports: readonly number[],
  facts: Facts,
  context: ReconcileContext<Tunnel>,
  { provisioner, settings }: HostOptions,
): Promise<Host> {
  const found = await provisioner.find(uidOf(tunnel), context);
  if (found === undefined) requireMissed(facts, context, settings);
  const token = await tokenOf(tunnel, found !== undefined, context, settings.pollMs);
  const host = found ?? (await created());
  delete facts.hostMissingSince;
  facts.hostId = host.id;
  facts.hostStatus = host.status;
  return host;

  async function created(): Promise<Host> {
    await requireLive(tunnel, context, settings.pollMs);
    const { name, namespace = '' } = tunnel.metadata;
    const request = {
      uid: uidOf(tunnel),
      name,
      namespace,
      token,
      controlPort: CONTROL_PORT,
      ports,
    };
    return provisioner.create(request, context);
  }
}

/** A list that is late, or a provider in trouble, must not cost another host, and another address. */
function requireMissed(
  facts: Facts,
  { clock }: ReconcileContext<Tunnel>,
  { missingMs, pollMs }: HostOptions['settings'],
): void {
  const { hostId } = facts;
  if (hostId === undefined) return;
  facts.hostMissingSince ??= rfc3339(clock.now());
  facts.hostStatus = 'missing';
  const leftMs = Date.parse(facts.hostMissingSince) + missingMs - clock.now();
  if (leftMs <= 0) return;
  const message = `host ${hostId} is not at the provider any more; another one is made if it stays so`;
  throw new NotYet({
    reason: 'HostMissing',
    message,
    warning: true,
    requeueAfterMs: Math.min(leftMs, pollMs),
  });
}

/** The cache may be late: nothing is bought for a Tunnel that is gone, or on its way. */
async function requireLive(
  tunnel: Tunnel,
  { client }: ReconcileContext<Tunnel>,
  requeueAfterMs: number,
): Promise<void> {
  const { name, namespace } = tunnel.metadata;
  const live = await client.find(tunnels, { name, namespace });
  if (live?.metadata.uid === uidOf(tunnel) && live.metadata.deletionTimestamp === undefined) return;
  throw new NotYet({
    reason: 'Deleted',
    message: 'the Tunnel is being deleted',
    requeueAfterMs,
  });
}
