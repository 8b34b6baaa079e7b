import { once } from 'node:events';
import { createServer } from 'node:net';
import { isTerminal, showsColours } from '../../manager/observe/pretty-log.ts';
import { settingsFrom } from '../../manager/settings/settings.ts';
import type { Io } from '../command.ts';
import type { DevPlace } from './declarations.ts';

/** Ports of the operator. They stay the same when the operator is restarted. 0 means no port. */
export interface DevPorts {
  readonly health: number;
  readonly metrics: number;
  /** The port of webhooks. */
  readonly webhooks: number;
}

/**
 * The ports that the environment sets. A port that the environment does not set is a free port.
 *
 * @throws ConfigurationError `CONFIG` for the same variables as `chancery run`.
 */
export async function devPorts(env: Io['env']): Promise<DevPorts> {
  const { healthPort, metricsPort } = settingsFrom(env);
  const isGiven = (name: string): boolean => (env[name] ?? '').trim() !== '';
  const health = isGiven('CHANCERY_HEALTH_PORT') ? healthPort : await freePort();
  const taken = [health];
  const another = async (): Promise<number> => {
    const port = await freePort();
    if (taken.includes(port)) return another();
    taken.push(port);
    return port;
  };
  const metrics = isGiven('CHANCERY_METRICS_PORT') ? metricsPort : await another();
  return { health, metrics, webhooks: await another() };
}

/**
 * The environment of the operator: the environment of this process, changed by the settings for
 * development.
 */
export function operatorEnvironment(
  { env, stderr }: Pick<Io, 'env' | 'stderr'>,
  { namespace, allNamespaces }: DevPlace,
  { health, metrics, webhooks }: DevPorts,
): Readonly<Record<string, string | undefined>> {
  return {
    CHANCERY_LOG_FORMAT: 'pretty',
    NODE_ENV: 'development',
    CHANCERY_HEALTH_HOST: '127.0.0.1',
    CHANCERY_METRICS_HOST: '127.0.0.1',
    // The operator writes to a pipe, so it would print no colours. But this process passes the
    // output on to a terminal.
    ...(showsColours(env, isTerminal(stderr)) && { FORCE_COLOR: '1' }),
    CHANCERY_WEBHOOK_LISTEN: `127.0.0.1:${webhooks}`,
    ...env,
    CHANCERY_HEALTH_PORT: String(health),
    CHANCERY_METRICS_PORT: String(metrics),
    WATCH_NAMESPACE: allNamespaces ? '*' : namespace,
    POD_NAMESPACE: namespace,
    POD_NAME: 'operator-dev',
    // Only one process runs, so it needs no election. `chancery dev` has already installed the
    // definitions.
    CHANCERY_LEADER_ELECTION: 'false',
    CHANCERY_SHARDS: '', // there is one replica
    CHANCERY_INSTALL_CRDS: 'false',
    // Developers may work in a Pod, where the operator can read the token of that Pod.
    CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
  };
}

/**
 * A range below the ports that systems assign to programs that request any free port: from 32,768
 * on Linux, from 49,152 on other systems. Within the range that the system assigns, another program
 * could get the port before the operator opens it.
 */
const FIRST_PORT = 20_000;
const PORTS = 10_000;

/**
 * A port of 127.0.0.1 on which currently nothing listens, for a program that cannot choose one
 * itself.
 */
async function freePort(random: () => number = Math.random): Promise<number> {
  for (;;) {
    const port = FIRST_PORT + Math.floor(random() * PORTS);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  const closed = once(server, 'close');
  server.close();
  await closed;
  return true;
}
