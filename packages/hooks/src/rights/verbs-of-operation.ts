import type { Permission } from 'chancery';

/** Every operation of a patch file. */
export const PATCH_OPERATIONS = [
  'Create',
  'CreateIfNotExists',
  'CreateOrUpdate',
  'Delete',
  'DeleteInBackground',
  'DeleteNonCascading',
  'JQPatch',
  'MergePatch',
  'JSONPatch',
  'Apply',
  'Status',
] as const;

export type PatchOperation = (typeof PATCH_OPERATIONS)[number];

type Verb = Permission['verbs'][number];

/** Verbs on a resource, or on one of its subresources. */
export interface OperationVerbs {
  /** The subresource. If undefined, the verbs are for the resource itself. */
  readonly subresource: string | undefined;
  readonly verbs: readonly Verb[];
}

/**
 * The verbs that a patch operation needs on the resource of its object.
 *
 * @param subresource - the subresource of the document, without `/`. Only `JQPatch`, `MergePatch`,
 * `JSONPatch` and `Apply` use it.
 */
export function verbsOfOperation(
  operation: PatchOperation,
  subresource?: string,
): readonly OperationVerbs[] {
  const object = (...verbs: Verb[]): readonly OperationVerbs[] => [
    { subresource: undefined, verbs },
  ];
  switch (operation) {
    case 'Create':
    case 'CreateIfNotExists':
      return object('create');
    case 'CreateOrUpdate':
      return object('get', 'create', 'update');
    case 'Delete': // it reads the object until it is gone
      return object('get', 'delete');
    case 'DeleteInBackground':
    case 'DeleteNonCascading':
      return object('delete');
    case 'JQPatch': // it always reads the object itself
      return subresource === undefined
        ? object('get', 'update')
        : [...object('get'), { subresource, verbs: ['update'] }];
    case 'MergePatch':
    case 'JSONPatch':
      return [{ subresource, verbs: ['patch'] }];
    case 'Apply': // it creates an object that is missing, but no subresource
      return subresource === undefined
        ? object('create', 'patch')
        : [{ subresource, verbs: ['patch'] }];
    case 'Status':
      return [{ subresource: 'status', verbs: ['patch'] }];
  }
}
