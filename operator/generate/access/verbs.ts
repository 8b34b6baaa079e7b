import type { Permission } from '../../controller/controller.ts';

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
