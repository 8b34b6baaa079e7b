import { type Member, membersOf } from './members.ts';

type Json = Record<string, unknown>;

/** A state of an object that was read: the next one takes from it what has not changed. */
interface ReadState {
  /** Its text from the brace that closes `metadata`. */
  readonly tail: string;
  readonly object: Json;
  /** What lies in `tail`; undefined where that was not looked for. */
  readonly members: readonly Member[] | undefined;
  /** How many states in a row had little in common with the one before. */
  readonly misses: number;
}

/**
 * What the reading of one state leaves for the reading of the next: `forgotten` when its text was let
 * go, as nobody knew that there would be a next one; `rewritten` when the states of this object mostly
 * have little in common.
 */
export type Predecessor = ReadState | 'forgotten' | 'rewritten';

/** An object, and what its reading leaves. */
export interface Reading {
  readonly object: unknown;
  readonly leaves: Predecessor | undefined;
}

/** What is shorter, in characters, is parsed: telling its parts apart costs as much. */
const WORTHWHILE_LENGTH = 256;
/** Less in common than a fourth is little: comparing, and keeping the text, is not worth it. */
const WORTHWHILE_SHARE = 0.25;
/** So many states in a row with little in common, and it is tried no more. */
const MISSES = 3;
const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;

/**
 * The object of which `head` and `tail` are the JSON. Members behind `metadata` whose text is what it
 * was in the state before are the very values of that state: most changes leave `spec` or `status` as
 * it was, and to compare texts costs a fraction of parsing them.
 *
 * @param head - from the object's opening brace to the last member of `metadata`.
 * @param tail - the rest, from the brace that closes `metadata`.
 * @param before - undefined where no state before was read: then no text is kept for one that follows.
 * @throws SyntaxError when it is no JSON.
 */
export function readAfter(head: string, tail: string, before: Predecessor | undefined): Reading {
  if (before === undefined || before === 'rewritten' || tail.length < WORTHWHILE_LENGTH) {
    return { object: JSON.parse(head + tail), leaves: before };
  }
  if (before === 'forgotten') return anew(head, tail, 0);
  return merged(head, tail, before) ?? anew(head, tail, before.misses + 1);
}

function anew(head: string, tail: string, misses: number): Reading {
  const object = JSON.parse(head + tail) as Json;
  if (misses >= MISSES) return { object, leaves: 'rewritten' };
  return { object, leaves: { tail, object, members: undefined, misses } };
}

/**
 * Undefined where too little is the same, or where it cannot be told: what is wrong with the text shows
 * when all of it is parsed.
 *
 * What is the same at the front and at the back of both tails are members that were parsed once. If what
 * lies between is a row of members, too, which parsing it shows, then the tail is these and no others.
 */
function merged(head: string, tail: string, before: ReadState): Reading | undefined {
  const members = before.members ?? membersOf(before.tail, 1);
  if (members === undefined) return undefined;
  const { front, back, from, to } = commonOf(tail, before.tail, members);
  const changedLength = to - from;
  if (tail.charCodeAt(tail.length - 1) !== CLOSE_BRACE || changedLength < 0) return undefined;
  if (changedLength > tail.length * (1 - WORTHWHILE_SHARE)) return undefined;
  const object = parsed(`${head}}}`);
  const changed = changedLength === 0 ? {} : parsedMembers(tail, from, to);
  if (object === undefined || changed === undefined) return undefined;

  const names = Object.keys(changed);
  const isWhole =
    take(object, members.slice(0, front), before.object) &&
    names.every((name) => takeOne(object, name, changed[name])) &&
    take(object, members.slice(back), before.object);
  if (!isWhole) return undefined;
  const moved = tail.length - before.tail.length;
  const isKnown = front === back || isOnly(names, members.slice(front, back));
  const now = isKnown ? moveMembers(members, front, back, moved) : undefined;
  return { object, leaves: { tail, object, members: now, misses: 0 } };
}

/** How two tails are the same: but for `from` to `to`, and the members from `front` to before `back`. */
interface Common {
  readonly front: number;
  readonly back: number;
  readonly from: number;
  readonly to: number;
}

function commonOf(tail: string, old: string, members: readonly Member[]): Common {
  let front = 0;
  let from = 1;
  for (const member of members) {
    if (!isSame(tail, from, old, member)) break;
    from = member.to;
    front++;
  }
  let back = members.length;
  let to = tail.length - 1;
  for (; back > front; back--) {
    const member = members[back - 1] as Member;
    const begin = to - (member.to - member.from);
    if (!isSame(tail, begin, old, member)) break;
    to = begin;
  }
  return { front, back, from, to };
}

/** Whether `member` of `old` lies in `tail` at `at`. Comparing slices is native, and copies nothing. */
function isSame(tail: string, at: number, old: string, { from, to }: Member): boolean {
  return tail.slice(at, at + to - from) === old.slice(from, to);
}

/** What lies in `tail` from the comma at `from`; undefined unless it is a row of members. */
function parsedMembers(tail: string, from: number, to: number): Json | undefined {
  if (tail.charCodeAt(from) !== COMMA) return undefined;
  const members = parsed(`{${tail.slice(from + 1, to)}}`);
  return members === undefined || isEmpty(members) ? undefined : members;
}

function isEmpty(object: Json): boolean {
  for (const _ in object) return false;
  return true;
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function take(object: Json, members: readonly Member[], from: Json): boolean {
  return members.every(({ name }) => takeOne(object, name, from[name]));
}

/** False where it comes twice, and for `__proto__`, which is no name like others. */
function takeOne(object: Json, name: string, value: unknown): boolean {
  if (Object.hasOwn(object, name) || name === '__proto__') return false;
  object[name] = value;
  return true;
}

function isOnly(names: readonly string[], members: readonly Member[]): boolean {
  return names.length === 1 && members.length === 1 && names[0] === members[0]?.name;
}

/** Where members lie now, of which one may have changed: those behind it have moved. */
function moveMembers(
  members: readonly Member[],
  front: number,
  back: number,
  moved: number,
): readonly Member[] {
  if (moved === 0) return members;
  return members.map((member, index) => {
    const { name, from, to } = member;
    if (index < front) return member;
    return { name, from: index < back ? from : from + moved, to: to + moved };
  });
}
