import { LinkedList, type Place } from './linked-list.ts';

/** One key in line. */
export interface Entry<K> {
  readonly key: K;
  /** Since when it may be handed out. */
  readonly readyAtMs: number;
  /** Since when it stands in its class; later than `readyAtMs` when it was raised. */
  readonly inClassAtMs: number;
  readonly inClass: PriorityClass<K>;
  readonly inFlow: Flow<K>;
  /** Both are there while it is in line. */
  placeInFlow: Place<Entry<K>> | undefined;
  placeByAge: Place<Entry<K>> | undefined;
}

/** Keys of one class that share a fairness key. */
interface Flow<K> {
  readonly name: string;
  readonly entries: LinkedList<Entry<K>>;
  /** Its place in the round of its class, while it has entries. */
  turn: Place<Flow<K>> | undefined;
}

/**
 * The ready keys of one priority. Flows take turns, and a flow is first in, first out; with a single
 * flow that is the order of the class.
 */
export class PriorityClass<K> {
  readonly priority: number;
  /** Flows that have entries. */
  readonly #flows = new Map<string, Flow<K>>();
  /** The flow whose turn it is stands first. */
  readonly #turns = new LinkedList<Flow<K>>();
  readonly #byAge = new LinkedList<Entry<K>>();

  constructor(priority: number) {
    this.priority = priority;
  }

  get size(): number {
    return this.#byAge.size;
  }

  /** Whose turn it is. */
  get next(): Entry<K> | undefined {
    return this.#turns.first?.entries.first;
  }

  /** Who has been in this class for longest. */
  get oldest(): Entry<K> | undefined {
    return this.#byAge.first;
  }

  push(key: K, flowName: string, readyAtMs: number, inClassAtMs: number): Entry<K> {
    const inFlow = this.#flow(flowName);
    const entry: Entry<K> = {
      key,
      readyAtMs,
      inClassAtMs,
      inClass: this,
      inFlow,
      placeInFlow: undefined,
      placeByAge: undefined,
    };
    entry.placeInFlow = inFlow.entries.push(entry);
    entry.placeByAge = this.#byAge.push(entry);
    return entry;
  }

  /** Takes `entry` out. It was served: its flow goes to the back of the round. */
  take(entry: Entry<K>): void {
    this.remove(entry);
    const { inFlow } = entry;
    if (this.#turns.size < 2 || inFlow.turn === undefined) return;
    this.#turns.remove(inFlow.turn);
    inFlow.turn = this.#turns.push(inFlow);
  }

  /** Takes `entry` out without having served it. */
  remove(entry: Entry<K>): void {
    const { inFlow, placeInFlow, placeByAge } = entry;
    if (placeInFlow === undefined || placeByAge === undefined) return;
    entry.placeInFlow = undefined;
    entry.placeByAge = undefined;
    this.#byAge.remove(placeByAge);
    inFlow.entries.remove(placeInFlow);
    if (inFlow.entries.size > 0 || inFlow.turn === undefined) return;
    this.#turns.remove(inFlow.turn);
    inFlow.turn = undefined;
    this.#flows.delete(inFlow.name);
  }

  #flow(name: string): Flow<K> {
    const known = this.#flows.get(name);
    if (known !== undefined) return known;
    const flow: Flow<K> = { name, entries: new LinkedList(), turn: undefined };
    flow.turn = this.#turns.push(flow);
    this.#flows.set(name, flow);
    return flow;
  }
}
