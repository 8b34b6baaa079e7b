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
  /** Paths of fields that an object contains twice. The last value of such a field is used. */
  readonly repeated: readonly string[];
}

/**
 * The plain data of an answer. The value of a module is written as JSON and parsed again. So it is
 * plain data like a webhook's answer, and the module may change its own value afterwards. Yields
 * before a turn of the event loop becomes long.
 *
 * @throws HookError `InvalidAnswer` for a value that is not JSON, or that exceeds a limit of
 * `JSON_LIMITS`. The message quotes nothing of the answer.
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

/** The value of a module as JSON. The thrown error is dropped, because it may quote the value. */
function* moduleText(value: unknown, unread: AnswerPart): Generator<void, string, undefined> {
  let text: unknown;
  try {
    text = yield* encodeInPieces(value, MAX_ANSWER_BYTES);
  } catch (error) {
    if (error instanceof JsonLimitError) unread.fail(error.message);
    unread.fail('cannot be written as JSON');
  }
  // The value was undefined, or a function.
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

/** Number of objects and lists that are visited in one turn of the event loop. */
const SLICE = 20_000;

/** The total number of members in all objects of a value. Works without recursion. */
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
