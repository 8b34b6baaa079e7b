import { encodeExact, parseExact } from '../../client/rest-client.ts';
import { messageOf } from '../../core/errors.ts';
import type { HookAnswer } from '../hook-function.ts';
import type { HookName } from '../spec.ts';
import { AnswerPart } from './answer-part.ts';
import { repeatedFields } from './repeated-fields.ts';

/**
 * Levels of objects and lists in an answer. An API server accepts 10,000, and no object of Kubernetes has a hundred.
 * Comparing and merging deeper ones would exceed the call stack.
 */
const MAX_LEVELS = 1_000;
const TOO_DEEP = `has more than ${MAX_LEVELS} levels`;

export interface AnswerValue {
  readonly whole: AnswerPart;
  /** Paths of fields that an object has twice; the last one counts. */
  readonly repeated: readonly string[];
}

/**
 * The plain data of an answer. A module's value is written as JSON and read again, so that it is what a webhook could
 * have answered, and so that the module can go on changing it.
 *
 * @throws HookError `InvalidAnswer` for what is no JSON. The message quotes nothing of it.
 */
export function answerValue(answer: HookAnswer, hook: HookName): AnswerValue {
  const unread = new AnswerPart(undefined, '', hook);
  const text = 'text' in answer ? answer.text : moduleText(answer.value, unread);
  const value = parsed(text, unread);
  const { levels, fields } = measured(value);
  if (levels > MAX_LEVELS) unread.fail(TOO_DEEP);
  const isUnique = !('text' in answer) || fields === fieldsIn(text);
  return {
    whole: new AnswerPart(value, '', hook),
    repeated: isUnique ? [] : repeatedFields(text),
  };
}

/** The thrown error is left out, because it may quote the value. */
function moduleText(value: unknown, unread: AnswerPart): string {
  let text: unknown;
  try {
    text = encodeExact(value);
  } catch {
    unread.fail('cannot be written as JSON');
  }
  // Undefined, or a function.
  return typeof text === 'string' ? text : unread.fail('is nothing');
}

function parsed(text: string, unread: AnswerPart): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    if (text.trim() === '') unread.fail('is empty');
    if (/^\s*</.test(text)) unread.fail('is HTML or XML, not JSON');
    // Parsing large integers is recursive.
    if (error instanceof RangeError) unread.fail(TOO_DEEP);
    // JSON.parse quotes the text around an error. Only the place stays.
    const said = messageOf(error);
    const position = /at position \d+/.exec(said)?.[0];
    if (position !== undefined) unread.fail(`is not JSON, ${position}`);
    return unread.fail(
      said.includes('end of JSON') ? 'is JSON that ends too early' : 'is not JSON',
    );
  }
}

/** How deep a value is, and how many members its objects have together. Without recursion. */
function measured(value: unknown): { readonly levels: number; readonly fields: number } {
  let fields = 0;
  let levels = 0;
  let level = [value].filter(isNested);
  while (level.length > 0) {
    levels += 1;
    const next: object[] = [];
    for (const part of level) {
      const members: readonly unknown[] = Array.isArray(part) ? part : Object.values(part);
      if (!Array.isArray(part)) fields += members.length;
      for (const member of members) if (isNested(member)) next.push(member);
    }
    level = next;
  }
  return { levels, fields };
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;

/** How many members the objects of a JSON text have together: every one has a colon outside of strings. */
function fieldsIn(text: string): number {
  let fields = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) inString = !inString;
    else if (!inString && code === COLON) fields += 1;
    else if (inString && code === BACKSLASH) at += 1;
  }
  return fields;
}
