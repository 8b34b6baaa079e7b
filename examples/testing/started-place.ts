import { eventually, type Manifest, type TestEnv, type TestOperator } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Cluster } from './cluster.ts';
import type { EventNote, Place } from './place.ts';

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
