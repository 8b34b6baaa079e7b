import type { Member } from './members.ts';

export type Json = Record<string, unknown>;

/** A row of members in a text: from what comes before the first to what comes behind the last. */
export interface Row {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** A row of members that were parsed once. */
export interface ParsedRow {
  readonly text: string;
  readonly members: readonly Member[];
  readonly values: Json;
}

/**
 * How a row is the same as one before: but for what lies from `from` to `to`, and for the members before
 * from `front` to `back`, the latter not included.
 */
export interface Common {
  readonly front: number;
  readonly back: number;
  readonly from: number;
  readonly to: number;
}

/** The part of a row that must be the same for it to be worth telling apart. */
const WORTHWHILE_SHARE = 0.25;
const COMMA = 0x2c;

/**
 * What a row has in common with the one before, at its front and at its back. Undefined where what lies
 * in between can be no row.
 */
export function commonWith(row: Row, before: ParsedRow): Common | undefined {
  const { members } = before;
  let front = 0;
  let from = row.from;
  for (const member of members) {
    if (!isSame(row.text, from, before.text, member)) break;
    from += member.to - member.from;
    front++;
  }
  let back = members.length;
  let to = row.to;
  for (; back > front; back--) {
    const member = members[back - 1] as Member;
    const begin = to - (member.to - member.from);
    if (!isSame(row.text, begin, before.text, member)) break;
    to = begin;
  }
  const common = { front, back, from, to };
  return mayBeRow(row.text, before, common) ? common : undefined;
}

/** Whether so much is the same that to compare, and to keep the text, costs less than it saves. */
export function isWorthwhile(row: Row, { from, to }: Common): boolean {
  return to - from <= (row.to - row.from) * (1 - WORTHWHILE_SHARE);
}

/** What comes before the first member is another thing than what comes between two. */
function mayBeRow(text: string, before: ParsedRow, { front, back, from, to }: Common): boolean {
  if (from === to) return true;
  if (from > to || back === 0) return false;
  const first = before.text.charCodeAt(before.members[0]?.from ?? 0);
  return text.charCodeAt(from) === (front === 0 ? first : COMMA);
}

/** Whether `member` of `old` lies in `text` at `at`. Comparing slices is native, and copies nothing. */
function isSame(text: string, at: number, old: string, { from, to }: Member): boolean {
  return text.slice(at, at + to - from) === old.slice(from, to);
}

/**
 * Adds the values of a row to `object`: those of before, and in their midst those that have changed.
 * False where a name comes twice, and for `__proto__`, which is no name like others.
 */
export function addRow(object: Json, before: ParsedRow, common: Common, changed: Json): boolean {
  const { members, values } = before;
  for (let index = 0; index < common.front; index++) {
    const { name } = members[index] as Member;
    if (!add(object, name, values[name])) return false;
  }
  for (const name in changed) if (!add(object, name, changed[name])) return false;
  for (let index = common.back; index < members.length; index++) {
    const { name } = members[index] as Member;
    if (!add(object, name, values[name])) return false;
  }
  return true;
}

function add(object: Json, name: string, value: unknown): boolean {
  if (Object.hasOwn(object, name) || name === '__proto__') return false;
  object[name] = value;
  return true;
}

/** A part of a row that is one, too: its members. Undefined where it is none. */
export function parsedRow({ text, from, to }: Row): Json | undefined {
  if (from === to) return {};
  const members = parsed(`{${text.slice(from + 1, to)}}`);
  if (members === undefined) return undefined;
  for (const _ in members) return members;
  return undefined; // nothing but a comma, which is not nothing
}

export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
