import process from 'node:process';
import { type Clock, sleep } from '../../core/clock.ts';
import { GuardedChild } from '../child/guarded-child.ts';
import type { Io } from '../command.ts';
import { LAUNCHER } from '../launcher.ts';
import type { DevPlace } from './declarations.ts';
import { type FileHashes, type FromOperator, onMessage, sendMessage } from './messages.ts';

/**
 * Time limit for an operator to stop before it is killed. Until then, it may finish active
 * reconciles.
 */
const STOP_LIMIT_MS = 5_000;

export interface OperatorProcessOptions {
  readonly modules: readonly string[];
  /** Arguments of the modules after `--`. */
  readonly moduleArgs: readonly string[];
  readonly place: DevPlace;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The port of the operator's debugger. */
  readonly inspect: number | undefined;
  readonly clock: Clock;
  readonly io: Pick<Io, 'stdout' | 'stderr'>;
  /** Called with the hashes of files when they are loaded. */
  readonly onFiles: (files: FileHashes) => void;
}

/** The result of loading the modules, as the operator's process reports it. */
export type Announcement = Exclude<FromOperator, { readonly kind: 'files' }>;

/** One run of the operator in its own process. */
export class OperatorProcess {
  /** The promise stays pending forever if the process ends before it reports. */
  readonly announced: Promise<Announcement>;
  /** The exit code of the operator. Never rejects. */
  readonly exit: Promise<number>;
  readonly #child: GuardedChild;
  readonly #clock: Clock;
  /**
   * False until the message `go` is sent. Before that, the process may be killed, because it has
   * not started anything that it would have to clean up.
   */
  #isRunning = false;

  constructor({
    modules,
    moduleArgs,
    place,
    environment,
    inspect,
    clock,
    io,
    onFiles,
  }: OperatorProcessOptions) {
    this.#clock = clock;
    const debug = inspect === undefined ? [] : [`--inspect=127.0.0.1:${inspect}`];
    const where = place.allNamespaces ? ['--all-namespaces'] : [];
    const namespace = `--namespace=${place.namespace}`;
    this.#child = new GuardedChild({
      program: process.execPath,
      args: [
        ...[...debug, LAUNCHER, 'dev', '--as-operator', ...where, namespace],
        ...[...modules, '--', ...moduleArgs],
      ],
      env: environment,
      channel: true,
    });
    this.#child.stdout.pipe(io.stdout, { end: false });
    this.#child.stderr.pipe(io.stderr, { end: false });
    this.exit = this.#child.exit;
    this.announced = this.#announcement(onFiles);
  }

  /** Makes the operator run its controllers. */
  go(environment: Readonly<Record<string, string>>): void {
    const { channel } = this.#child;
    this.#isRunning = true;
    if (channel !== undefined) sendMessage(channel, { kind: 'go', environment });
  }

  /**
   * Stops the operator gracefully, or kills it after `STOP_LIMIT_MS`. Resolves when its process is
   * gone.
   */
  async stop(): Promise<void> {
    if (!this.#isRunning) return this.kill();
    this.#child.terminate();
    const waited = new AbortController();
    const limit = sleep(this.#clock, STOP_LIMIT_MS, waited.signal).then(
      () => this.kill(),
      () => {},
    );
    await Promise.race([this.exit, limit]);
    waited.abort();
    await limit;
  }

  /** Ends the operator at once. Resolves when its process is gone. */
  kill(): Promise<void> {
    return this.#child.kill();
  }

  #announcement(onFiles: (files: FileHashes) => void): Promise<Announcement> {
    const { channel } = this.#child;
    return new Promise((resolve) => {
      if (channel === undefined) return;
      onMessage<FromOperator>(channel, (message) => {
        if (message.kind === 'files') onFiles(message.files);
        else resolve(message);
      });
    });
  }
}
