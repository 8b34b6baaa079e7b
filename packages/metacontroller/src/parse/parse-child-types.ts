import { isDeepStrictEqual } from 'node:util';
import type { ChildUpdate } from 'chancery/internal';
import type { ChildTypeFields } from '../definitions/controller-object.ts';
import type { ChildTypeSpec } from '../spec.ts';
import { refuse } from './invalid-spec.ts';
import { groupAndVersion, parseReference } from './parse-reference.ts';

type Method = NonNullable<NonNullable<ChildTypeFields['updateStrategy']>['method']>;

const UPDATES: Readonly<Record<Method, ChildUpdate>> = {
  OnDelete: 'keep',
  Recreate: 'recreate',
  InPlace: 'apply',
  RollingRecreate: 'rolling-recreate',
  RollingInPlace: 'rolling-apply',
};

/**
 * The child types of a CompositeController. A resource that occurs twice with the same fields
 * counts once.
 *
 * @param path - the path of the list.
 * @throws InvalidSpecError.
 */
export function parseChildTypes(
  types: readonly ChildTypeFields[] = [],
  path: string,
): readonly ChildTypeSpec[] {
  const known = new Map<string, ChildTypeSpec>();
  for (const [at, type] of types.entries()) {
    const parsed = parseChildType(type, `${path}[${at}]`);
    const [group] = groupAndVersion(parsed.apiVersion);
    const identity = `${group}/${parsed.resource}`;
    const before = known.get(identity);
    if (before === undefined) known.set(identity, parsed);
    else if (!isDeepStrictEqual(before, parsed)) {
      refuse(`${path}[${at}]`, `${parsed.resource} stands there twice, with different fields`);
    }
  }
  return [...known.values()];
}

function parseChildType(type: ChildTypeFields, path: string): ChildTypeSpec {
  const { method = 'OnDelete', statusChecks } = type.updateStrategy ?? {};
  return {
    ...parseReference(type, path),
    update: UPDATES[method],
    statusChecks: statusChecks?.conditions ?? [],
  };
}

/**
 * The child types without rolling updates. Attachments of decorators have no revisions, so they are
 * all updated at once.
 */
export function withoutRolling(types: readonly ChildTypeSpec[]): readonly ChildTypeSpec[] {
  return types.map((type) => ({ ...type, update: atOnce(type.update) }));
}

function atOnce(update: ChildUpdate): ChildUpdate {
  switch (update) {
    case 'rolling-apply':
      return 'apply';
    case 'rolling-recreate':
      return 'recreate';
    default:
      return update;
  }
}
