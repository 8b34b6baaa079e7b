import type { Clock } from '../../core/clock.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { KubernetesVersion } from './arguments.ts';

/**
 * The exports of `@chancery/testing` that this command uses. A test checks that the types match.
 *
 * @typeParam S - the saved state of a server. The command only passes it on.
 */
export interface TestingPackage<S = Snapshot> {
  readonly ApiServer: { start(options: ServerOptions<S>): Promise<RunningServer<S>> };
  readonly AdminEndpoint: {
    start(
      server: RunningServer<S>,
      options: { readonly port: number; readonly clock: MovableClock },
    ): Promise<Admin>;
  };
  readonly MovableClock: new () => MovableClock;
  /** @throws ConfigurationError `CONFIG` with a message that begins with `what`. */
  readFaults(value: unknown, what: string): readonly object[];
  /** @throws ConfigurationError `CONFIG` with the file. */
  readSnapshot(path: string): Promise<S>;
  /** @throws OperatorError `CONFIG` with the file. */
  writeSnapshot(path: string, snapshot: S): Promise<void>;
}

interface ServerOptions<S> {
  readonly port: number;
  readonly address: string;
  readonly workloads: Record<string, never> | false;
  readonly generation?: KubernetesVersion;
  readonly featureGates: Readonly<Record<string, boolean>>;
  readonly webhookServices: Readonly<Record<string, string>>;
  readonly tls?: Record<string, never>;
  readonly authentication?: { readonly tokens: Readonly<Record<string, Caller>> };
  readonly faults: readonly object[];
  readonly clock?: Clock;
  readonly snapshot?: S;
}

export interface RunningServer<S = Snapshot> {
  readonly url: string;
  readonly secure: { readonly ca: string };
  get(apiVersion: string, kind: string, namespace: string | undefined, name: string): unknown;
  create(object: KubernetesObject): unknown;
  applyManifest(yaml: string, namespace: string | undefined): unknown;
  snapshot(): S;
  close(): Promise<void>;
}

export interface MovableClock extends Clock {
  advance(ms: number): Promise<void>;
}

export interface Admin {
  readonly url: string;
  close(): Promise<void>;
}

/** Stands for the class `Snapshot` of the package. */
export interface Snapshot {
  readonly revision: number;
}

/** The user of a token. */
export interface Caller {
  readonly name: string;
  readonly groups: string[];
}
