import { setInterval } from 'node:timers/promises';
import type { KubernetesObject } from 'chancery';
import { isNotFound, isUnserved } from 'chancery/internal-objects';
import type { ApiCalls } from './api-calls.ts';

/**
 * How long to wait until a definition is removed. The wait is needed because another environment
 * may create the same definition next.
 */
const LIMIT_MS = 20_000;

const POLL_MS = 100;

/**
 * The objects that an environment has created in a cluster that outlives it. Objects in its
 * namespaces are removed with the namespaces. Everything else is removed one by one, newest first.
 */
export class Leftovers {
  readonly #namespaces: string[] = [];
  readonly #objects: KubernetesObject[] = [];

  addNamespace(name: string): void {
    this.#namespaces.push(name);
  }

  add(object: KubernetesObject): void {
    this.#objects.push(object);
  }

  /**
   * Resolves when the deletion of all objects has begun and cluster-scoped objects are removed, or
   * after 20 s. Namespaces are emptied in the background, and their names are not used again.
   */
  async takeAway(calls: ApiCalls): Promise<void> {
    for (const name of this.#namespaces.splice(0)) {
      await deleted(calls, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    const others = this.#objects.splice(0).reverse();
    for (const object of others) await deleted(calls, object);
    const global = others.filter(
      ({ kind, metadata }) => metadata.namespace === undefined && kind !== 'Namespace',
    );
    await gone(calls, global);
  }
}

async function deleted(
  calls: ApiCalls,
  { apiVersion, kind, metadata }: KubernetesObject,
): Promise<void> {
  try {
    await calls.delete(apiVersion, kind, metadata.namespace, metadata.name);
  } catch (error) {
    // The test may have deleted the definition, and its objects with it.
    if (!isNotFound(error) && !isUnserved(error)) throw error;
  }
}

async function gone(calls: ApiCalls, objects: readonly KubernetesObject[]): Promise<void> {
  const givenUpAt = performance.now() + LIMIT_MS;
  let left = objects;
  for await (const _ of setInterval(POLL_MS)) {
    const found = await Promise.all(left.map((object) => isThere(calls, object)));
    left = left.filter((_object, at) => found[at]);
    if (left.length === 0 || performance.now() > givenUpAt) return;
  }
}

async function isThere(calls: ApiCalls, object: KubernetesObject): Promise<boolean> {
  const { apiVersion, kind, metadata } = object;
  try {
    const live = await calls.get(apiVersion, kind, metadata.namespace, metadata.name);
    return live?.metadata.uid === metadata.uid;
  } catch (error) {
    if (isUnserved(error)) return false;
    throw error;
  }
}
