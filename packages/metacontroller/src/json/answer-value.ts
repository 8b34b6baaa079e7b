import {
  encodeInPieces,
  JSON_LIMITS,
  JsonLimitError,
  JsonSyntaxError,
  type ReadJson,
  readJsonValue,
} from 'chancery/internal';
import { MAX_ANSWER_BYTES } from '../call/limits.ts';
import type { HookAnswer } from '../hook-function.ts';
import type { HookName } from '../spec.ts';
import { AnswerPart } from './answer-part.ts';
import { repeatedFields } from './repeated-fields.ts';

export interface AnswerValue {
  readonly whole: AnswerPart;
  /** Paths of fields that an object has twice; the last one counts. */
  readonly repeated: readonly string[];
}

/**
 * The plain data of an answer. A module's value is written as JSON and read again, so that it is what a webhook could
 * have answered, and so that the module can go on changing it. Yields before a turn of the event loop becomes long.
 *
 * @throws HookError `InvalidAnswer` for what is no JSON, or beyond a limit of `JSON_LIMITS`. The message quotes nothing
 *   of it.
 */
export function* answerValue(
  answer: HookAnswer,
  hook: HookName,
): Generator<void, AnswerValue, undefined> {
  const unread = new AnswerPart(undefined, '', hook);
  const text = 'text' in answer ? answer.text : yield* moduleText(answer.value, unread);
  const { value, members } = yield* parsed(text, unread);
  const isUnique = !('text' in answer) || members === (yield* membersOf(value));
  return {
    whole: new AnswerPart(value, '', hook),
    repeated: isUnique ? [] : yield* repeatedFields(text),
  };
}

/** The thrown error is left out, because it may quote the value. */
function* moduleText(value: unknown, unread: AnswerPart): Generator<void, string, undefined> {
  let text: unknown;
  try {
    text = yield* encodeInPieces(value, MAX_ANSWER_BYTES);
  } catch (error) {
    if (error instanceof JsonLimitError) unread.fail(error.message);
    unread.fail('cannot be written as JSON');
  }
  // Undefined, or a function.
  return typeof text === 'string' ? text : unread.fail('is nothing');
}

function* parsed(text: string, unread: AnswerPart): Generator<void, ReadJson, undefined> {
  try {
    return yield* readJsonValue(text, JSON_LIMITS);
  } catch (error) {
    if (text.trim() === '') unread.fail('is empty');
    if (/^\s*</.test(text)) unread.fail('is HTML or XML, not JSON');
    if (error instanceof JsonLimitError) unread.fail(error.message);
    if (!(error instanceof JsonSyntaxError)) throw error;
    return unread.fail(error.message);
  }
}

/** Objects and lists that are looked at in one turn of the event loop. */
const SLICE = 20_000;

/** How many members the objects of a value have together. Without recursion. */
function* membersOf(value: unknown): Generator<void, number, undefined> {
  let members = 0;
  let looked = 0;
  const open = [value].filter(isNested);
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const values: readonly unknown[] = Array.isArray(part) ? part : Object.values(part);
    if (!Array.isArray(part)) members += values.length;
    for (const member of values) if (isNested(member)) open.push(member);
    looked += 1 + values.length;
    if (looked < SLICE) continue;
    looked = 0;
    yield;
  }
  return members;
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
