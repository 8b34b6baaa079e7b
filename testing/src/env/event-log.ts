import type { KubernetesObject } from 'chancery';
import type { CommittedEvent, ResourceName } from '../apiserver/objects/stored-object.ts';
import { isPlural } from './request-log.ts';

/** A change that the server has committed, as a copy that consists of plain data. */
export interface LoggedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** The resource, such as `configmaps` or `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  readonly name: string;
  /** The object after the change. For DELETED, its last state. */
  readonly object: KubernetesObject;
}

/**
 * Selects events. An absent field matches any event. A `resource` without a group, such as `deployments`,
 * matches in every group.
 */
export type EventFilter = Partial<Pick<LoggedEvent, 'type' | 'resource' | 'namespace' | 'name'>>;

/**
 * The largest number of events to keep. A usual test causes far fewer. In a test with an endless loop, the
 * limit prevents the memory from filling up.
 */
const LIMIT = 10_000;

/**
 * Every change of every object since the start of the environment, like in a watch of all objects.
 */
export class EventLog {
  readonly #events: LoggedEvent[] = [];
  #total = 0;

  /** Called for each commit, in the order of commits. */
  record(resource: ResourceName, { type, object }: CommittedEvent): void {
    const { namespace, name } = object.metadata;
    this.#total += 1;
    this.#events.push({ type, resource, namespace, name, object });
    if (this.#events.length > LIMIT) this.#events.shift();
  }

  /** The total number of events. */
  get total(): number {
    return this.#total;
  }

  /** The events that match `filter`, oldest first. Only the latest 10 000 events are kept. */
  of(filter: EventFilter = {}): readonly LoggedEvent[] {
    const wanted = Object.entries(filter) as [keyof EventFilter, string | undefined][];
    return this.#events
      .filter((event) =>
        wanted.every(
          ([field, value]) =>
            event[field] === value || (field === 'resource' && isPlural(value, event.resource)),
        ),
      )
      .map((event) => ({ ...event, object: structuredClone(event.object) }));
  }

  /**
   * Every state of one object, oldest first. If the object was deleted, its last state appears
   * twice.
   */
  history(
    resource: string,
    namespace: string | undefined,
    name: string,
  ): readonly KubernetesObject[] {
    return this.of({ resource, namespace, name }).map(({ object }) => object);
  }
}
