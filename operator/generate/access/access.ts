import type { Permission } from '../../controller/controller.ts';
import type { Resource } from '../../model/resource.ts';

export type Verb = Permission['verbs'][number];

/** Every verb that can be declared, in the order in which people list them. */
export const VERBS: readonly Verb[] = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
];

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** By which method each verb goes over the wire. */
export const METHOD_OF: Readonly<Record<Verb, Method>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
};

/** What is done to one resource in one place. */
export interface AccessRule {
  readonly resource: Resource;
  readonly subresource: string | undefined;
  /** A name or `POD_NAMESPACE`; undefined for every namespace, or a cluster-scoped resource. */
  readonly namespace: string | undefined;
  /** Sorted as `VERBS`, each once. */
  readonly verbs: readonly Verb[];
  /** Sorted, each once, at least one. Left out: every object. */
  readonly resourceNames?: readonly string[];
  /** True when no request is made, and admission only asks whether one would be allowed. */
  readonly unrequested?: boolean;
}
