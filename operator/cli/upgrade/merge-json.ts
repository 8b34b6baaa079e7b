import { isDeepStrictEqual } from 'node:util';
import type { ThreeTexts } from './git.ts';

type Members = Readonly<Record<string, unknown>>;

/** The side whose value is taken when both sides have changed a member in different ways. */
type Side = 'base' | 'yours' | 'theirs';

/**
 * Merges two changes of a JSON object member by member. Returns three JSON texts that must still be
 * merged line by line. They differ only where both sides have changed the same member in different
 * ways. A merge by lines alone would conflict whenever the user has added a dependency directly
 * beside another dependency whose version the upgrade raises.
 *
 * @returns undefined when a text is not a JSON object.
 */
export function mergeJson(texts: ThreeTexts): ThreeTexts | undefined {
  const [base, yours, theirs] = [texts.base, texts.yours, texts.theirs].map(membersOf);
  if (base === undefined || yours === undefined || theirs === undefined) return undefined;
  const [, indent = '  '] = /^([ \t]+)"/m.exec(texts.yours) ?? [];
  const end = texts.yours.endsWith('\n') ? '\n' : '';
  const textFor = (side: Side): string =>
    `${JSON.stringify(mergedMembers(base, yours, theirs, side), null, indent)}${end}`;
  return { base: textFor('base'), yours: textFor('yours'), theirs: textFor('theirs') };
}

function membersOf(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMembers(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The merged value. Undefined stands for a missing member, because JSON has no undefined. */
function merged(base: unknown, yours: unknown, theirs: unknown, side: Side): unknown {
  if (isDeepStrictEqual(yours, theirs) || isDeepStrictEqual(base, theirs)) return yours;
  if (isDeepStrictEqual(base, yours)) return theirs;
  if (isMembers(yours) && isMembers(theirs)) {
    return mergedMembers(isMembers(base) ? base : {}, yours, theirs, side);
  }
  return { base, yours, theirs }[side];
}

function mergedMembers(base: Members, yours: Members, theirs: Members, side: Side): Members {
  const members = inOrder(base, yours, theirs).map((name) => {
    const [a, b, c] = [base, yours, theirs].map((each) =>
      Object.hasOwn(each, name) ? each[name] : undefined,
    );
    return [name, merged(a, b, c, side)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/**
 * All names in the order of `yours`. A name that `yours` does not have follows the same name as in
 * `theirs`, or as in `base` if `theirs` does not have it either.
 */
function inOrder(base: Members, yours: Members, theirs: Members): readonly string[] {
  const names = Object.keys(yours);
  for (const others of [Object.keys(theirs), Object.keys(base)]) {
    for (const [at, name] of others.entries()) {
      if (names.includes(name)) continue;
      const before = others[at - 1];
      names.splice(before === undefined ? 0 : names.indexOf(before) + 1, 0, name);
    }
  }
  return names;
}
