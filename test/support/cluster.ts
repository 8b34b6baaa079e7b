import type { AmbassadorFilter, TestEnv } from '@chancery/testing';
import {
  type Ambassador,
  ApiServer,
  type ApiServerOptions,
  startAmbassador,
  startTestEnv,
} from '@chancery/testing';
import { onTestFinished } from 'vitest';
import { connect } from '../../operator/client/connection.ts';
import type { Controller } from '../../operator/controller/controller.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { OperatorProcess } from '../../operator/manager/operator-process.ts';
import { type Settings, settingsFrom } from '../../operator/manager/settings/settings.ts';
import { type LogLine, recordingLog } from './recording-log.ts';

export const NAMESPACE = 'demo';

export interface Cluster {
  readonly server: ApiServer;
  readonly proxy: Ambassador;
}

/**
 * An embedded API server with the namespace `demo`, and an ambassador in front of it: the one of the
 * lane, see `startAmbassador`.
 */
export async function startCluster(
  options: ApiServerOptions & { readonly filter?: AmbassadorFilter } = {},
): Promise<Cluster> {
  const { filter, ...serverOptions } = options;
  const server = await ApiServer.start(serverOptions);
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  const proxy = await startProxy(server.url, filter);
  return { server, proxy };
}

/**
 * A namespace of its own on the API server that `CHANCERY_TEST_ENV` names; the embedded one by default.
 *
 * @param workloads - how fast Pods are there, where they are simulated.
 */
export async function startTestCluster(
  workloads: ApiServerOptions['workloads'] = false,
): Promise<{ readonly env: TestEnv; readonly namespace: string }> {
  const env = await startTestEnv({ embedded: { workloads } });
  onTestFinished(() => env.stop());
  return { env, namespace: await env.namespace() };
}

export async function startProxy(server: string, filter?: AmbassadorFilter): Promise<Ambassador> {
  const proxy = await startAmbassador({ server, ...(filter && { filter }) });
  onTestFinished(() => proxy.kill());
  return proxy;
}

export interface RunningOperator {
  readonly manager: OperatorProcess;
  readonly lines: readonly LogLine[];
  /** Messages of a level, in order. */
  logged(level: string): readonly string[];
  /** Stops it and waits for its end. */
  stop(): Promise<void>;
}

/** A manager with `controllers` on a real connection to `apiUrl`, as `chancery run` makes it. */
export function startOperator(
  apiUrl: string,
  controllers: readonly Controller[],
  settings: Partial<Settings> = {},
): RunningOperator {
  const { lines, logFor } = recordingLog();
  const connection = connect(apiUrl, { clock: systemClock });
  const manager = new OperatorProcess({
    settings: {
      ...settingsFrom({ WATCH_NAMESPACE: NAMESPACE }),
      apiUrl,
      healthPort: 0,
      ...settings,
    },
    controllers,
    connection,
    clock: systemClock,
    logFor,
  });
  const stop = new AbortController();
  const running = manager.run(stop.signal);
  const end = async (): Promise<void> => {
    stop.abort();
    await running;
    await connection.close();
  };
  onTestFinished(end);
  return {
    manager,
    lines,
    logged: (level) => lines.filter((line) => line.level === level).map(({ message }) => message),
    stop: end,
  };
}
