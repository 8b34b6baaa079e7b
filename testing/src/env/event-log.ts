import type { KubernetesObject } from 'chancery';
import type { CommittedEvent, ResourceName } from '../apiserver/objects/stored-object.ts';

/** A change that the server has committed. Plain data, a copy. */
export interface LoggedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `configmaps`, `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** After the change; of a DELETED, the last state. */
  readonly object: KubernetesObject;
}

/** Selects events; a field that is absent matches any event. */
export type EventFilter = Partial<Pick<LoggedEvent, 'type' | 'resource' | 'namespace' | 'name'>>;

/** Events remembered; more than any test makes, few enough that a stuck loop does not fill memory. */
const LIMIT = 10_000;

/** Every change of every object since the environment was started: what a watch of all would show. */
export class EventLog {
  readonly #events: LoggedEvent[] = [];
  #total = 0;

  /** Called for each commit, in that order. */
  record(resource: ResourceName, { type, object }: CommittedEvent): void {
    const { namespace, name } = object.metadata;
    this.#total += 1;
    this.#events.push({ type, resource, namespace, name, object });
    if (this.#events.length > LIMIT) this.#events.shift();
  }

  /** How many there have been. */
  get total(): number {
    return this.#total;
  }

  /** Those that `filter` means, oldest first; the latest 10 000 of all are remembered. */
  of(filter: EventFilter = {}): readonly LoggedEvent[] {
    const wanted = Object.entries(filter) as [keyof EventFilter, string | undefined][];
    return this.#events
      .filter((event) => wanted.every(([field, value]) => event[field] === value))
      .map((event) => ({ ...event, object: structuredClone(event.object) }));
  }

  /** Every state that one object has had, oldest first; the last one twice when it was deleted. */
  history(
    resource: string,
    namespace: string | undefined,
    name: string,
  ): readonly KubernetesObject[] {
    return this.of({ resource, namespace, name }).map(({ object }) => object);
  }
}
