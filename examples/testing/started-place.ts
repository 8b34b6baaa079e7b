import { eventually, type Manifest, type TestEnv, type TestOperator } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Cluster } from './cluster.ts';

export interface EventNote {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

export interface Place {
  /** What is asked without a namespace is of all: other tests have left things in theirs. */
  readonly env: TestEnv;
  /** That of the test, which no other has. */
  readonly namespace: string;
  /** The operator that was started last. */
  readonly operator: TestOperator;
  /** An operator was started, and was not stopped since. */
  readonly isRunning: boolean;
  /** Another replica, or the next one after `operator.stop()` or `operator.kill()`. */
  startOperator(): TestOperator;
  /** Resolves when the operator has nothing to do unless something changes, or time passes. */
  idle(): Promise<void>;
  /** Applies YAML, a file or a folder in the test's namespace, as its user. */
  apply(manifest: Manifest): Promise<void>;
  /** `kubectl` as an administrator, in the test's namespace. @throws with what it wrote when it fails. */
  kubectl(...words: readonly string[]): Promise<string>;
  /** What `kubectl describe` would show about any object, oldest first; only that of `reason` if given. */
  events(reason?: string): Promise<readonly EventNote[]>;
  /** Those of `reason`, when there are `count` at least: an Event is sent after what it tells of. Default 1. */
  told(reason: string, count?: number): Promise<readonly EventNote[]>;
  /** What the operator has asked the API server to change, but for Events: `patch deployments.apps`. */
  writes(): readonly string[];
  /** What it was refused for want of a right, or by its ambassador. Empty in every good test. */
  refusals(): readonly string[];
}

export interface PlaceFacts {
  readonly namespace: string;
  readonly allNamespaces: boolean;
  readonly user: string;
  readonly start: () => TestOperator;
}

/** The methods of a place. */
export class StartedPlace implements Place {
  readonly env: TestEnv;
  readonly namespace: string;
  readonly #cluster: Cluster;
  readonly #facts: PlaceFacts;
  readonly #operators: TestOperator[] = [];
  /** Writes that this user had made before. */
  readonly #writesBefore: number;

  constructor(cluster: Cluster, facts: PlaceFacts) {
    this.env = cluster.env;
    this.namespace = facts.namespace;
    this.#cluster = cluster;
    this.#facts = facts;
    this.#writesBefore = this.#writesOfUser().length;
  }

  get operator(): TestOperator {
    const operator = this.#operators.at(-1);
    if (operator === undefined) throw new Error('no operator was started yet');
    return operator;
  }

  get isRunning(): boolean {
    const operator = this.#operators.at(-1);
    return operator !== undefined && operator.status.phase !== 'stopping';
  }

  startOperator(): TestOperator {
    const operator = this.#facts.start();
    this.#operators.push(operator);
    return operator;
  }

  async idle(): Promise<void> {
    await eventually(() => {
      const { controllers } = this.operator.status;
      return controllers.every(
        ({ working, busy, ready }) => working && busy === 0 && ready.length === 0,
      );
    }, PATIENT);
  }

  async apply(manifest: Manifest): Promise<void> {
    await this.env.apply(manifest, { namespace: this.namespace });
  }

  kubectl(...words: readonly string[]): Promise<string> {
    return this.#cluster.kubectl(this.namespace, words);
  }

  async events(reason?: string): Promise<readonly EventNote[]> {
    const where = this.#facts.allNamespaces ? undefined : this.namespace;
    const all = await this.env.list<EventNote & KubernetesObject>(
      ...(['events.k8s.io/v1', 'Event', where] as const),
    );
    return all
      .filter((event) => reason === undefined || event.reason === reason)
      .map(({ type, reason: why, note }) => ({ type, reason: why, note }));
  }

  told(reason: string, count: number = 1): Promise<readonly EventNote[]> {
    return eventually(async () => {
      const found = await this.events(reason);
      return found.length >= count && found;
    }, PATIENT);
  }

  writes(): readonly string[] {
    return this.#writesOfUser().slice(this.#writesBefore);
  }

  refusals(): readonly string[] {
    const counted = this.#operators.flatMap(({ meter }) => Object.keys(meter.snapshot()));
    return counted.filter((series) => /^rest_client_requests_total.*"403"/.test(series));
  }

  #writesOfUser(): readonly string[] {
    return this.env.requests
      .of({ user: this.#facts.user })
      .filter(({ verb, resource }) => WRITES.has(verb) && resource !== 'events.events.k8s.io')
      .map(({ verb, resource, subresource = '' }) => `${verb} ${resource} ${subresource}`.trim());
  }
}

/** On a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };

const WRITES: ReadonlySet<string> = new Set([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
]);
