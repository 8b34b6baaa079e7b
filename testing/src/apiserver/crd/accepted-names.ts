import { isDeepStrictEqual } from 'node:util';
import type { Condition } from 'chancery';
import type { StoredObject } from '../objects/stored-object.ts';
import { acceptedNamesOf, type DefinitionNames, specOf } from './definition.ts';
import { conditionOf, ESTABLISHED, NAMES_ACCEPTED } from './definition-conditions.ts';

type Step = Omit<Condition, 'lastTransitionTime'>;

/**
 * The names that a definition gets, and the conditions that report whether all requested names were accepted.
 */
export interface NamesVerdict {
  /**
   * The names that the definition has from now on. In place of a name that is taken, it keeps the old name.
   */
  readonly names: Partial<DefinitionNames>;
  readonly namesAccepted: Step;
  readonly established: Step;
}

/**
 * Decides which of the requested names a definition gets.
 * @param others - the other definitions of the same group. Their names are taken.
 */
export function judgeNames(
  definition: StoredObject,
  others: readonly StoredObject[],
): NamesVerdict | undefined {
  const asked = specOf(definition).names;
  const had = acceptedNamesOf(definition);
  if (isDeepStrictEqual(asked, had)) return undefined;
  const taken = takenNames(others);
  let conflict: Step | undefined;
  const check = (name: string | undefined, old: string | undefined, among: Set<string>): boolean =>
    name === old || name === undefined || !among.has(name);
  const judge = (reason: string, refused: readonly string[]): boolean => {
    if (refused.length > 0) conflict = conflictOf(reason, refused);
    return refused.length === 0;
  };
  const one = (
    reason: string,
    name: string,
    old: string | undefined,
    among: Set<string>,
  ): string => (judge(reason, check(name, old, among) ? [] : [name]) ? name : (old ?? ''));
  const short = (asked.shortNames ?? []).filter(
    (name) => !(had.shortNames ?? []).includes(name) && taken.resources.has(name),
  );
  const plural = one('PluralConflict', asked.plural, had.plural, taken.resources);
  const singular = one('SingularConflict', asked.singular, had.singular, taken.resources);
  const shortNames = judge('ShortNamesConflict', short) ? asked.shortNames : had.shortNames;
  const kind = one('KindConflict', asked.kind, had.kind, taken.kinds);
  const listKind = one('ListKindConflict', asked.listKind, had.listKind, taken.kinds);
  return {
    names: {
      plural,
      ...(singular === '' ? {} : { singular }),
      ...(shortNames === undefined ? {} : { shortNames }),
      kind,
      ...(listKind === '' ? {} : { listKind }),
      ...(asked.categories === undefined ? {} : { categories: asked.categories }),
    },
    namesAccepted: conflict ?? NAMES_ACCEPTED,
    established: establishedAfter(definition, conflict === undefined),
  };
}

function conflictOf(reason: string, names: readonly string[]): Step {
  const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
  const message = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  return { type: 'NamesAccepted', status: 'False', reason, message };
}

function takenNames(others: readonly StoredObject[]): {
  readonly resources: Set<string>;
  readonly kinds: Set<string>;
} {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    const { plural, singular, shortNames = [], kind, listKind } = acceptedNamesOf(other);
    for (const name of [plural, singular, ...shortNames]) if (name) resources.add(name);
    for (const name of [kind, listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

/**
 * The condition `Established`. An established definition stays established, even if new names are refused.
 */
function establishedAfter(definition: StoredObject, accepted: boolean): Step {
  const before = conditionOf(definition, 'Established');
  if (before?.status === 'True') return before;
  const step = { type: 'Established', status: 'False' } as const;
  return accepted
    ? { ...step, reason: 'Installing', message: ESTABLISHED.message }
    : { ...step, reason: 'NotAccepted', message: 'not all names are accepted' };
}
