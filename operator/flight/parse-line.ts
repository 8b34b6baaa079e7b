import { isMapping } from '../core/mapping.ts';
import type { RecordLine } from './record-line.ts';

/** The type of a member. If it ends in `?`, the member may be missing. */
type FieldType =
  | 'text'
  | 'number'
  | 'boolean'
  | 'list'
  | 'object'
  | 'text?'
  | 'number?'
  | 'boolean?'
  | 'list?'
  | 'object?';

/**
 * The members that a line of each kind must have, so that a reader can rely on the types of `record-line.ts`.
 */
const FIELDS: Readonly<Record<RecordLine['kind'], Readonly<Record<string, FieldType>>>> = {
  header: {
    ...{ format: 'text', version: 'number', toolkit: 'text', node: 'text', began: 'text' },
    ...{ from: 'number', to: 'number', reason: 'text', why: 'text?', pid: 'number?' },
    ...{ settings: 'object', arguments: 'list', modules: 'list', controllers: 'list' },
    ...{ sources: 'list', limits: 'object', truncated: 'text?' },
  },
  clock: { at: 'number', wall: 'number' },
  state: { at: 'number', segment: 'number', random: 'number', leads: 'boolean' },
  cached: {
    ...{ at: 'number', source: 'text', scope: 'text?', resourceVersion: 'text?', objects: 'list' },
  },
  queued: {
    ...{ at: 'number', controller: 'text', key: 'text', state: 'text', dueInMs: 'number?' },
    ...{ failures: 'number', priority: 'number' },
  },
  request: {
    ...{ at: 'number', id: 'number', method: 'text', path: 'text', purpose: 'text' },
    ...{ contentType: 'text?', body: 'text?', leftOut: 'text?', by: 'object?' },
    carried: 'boolean?',
  },
  answer: {
    ...{ at: 'number', id: 'number', status: 'number', headers: 'object', carried: 'boolean?' },
  },
  chunk: { at: 'number', id: 'number', text: 'text', leftOut: 'number?', carried: 'boolean?' },
  ended: { at: 'number', id: 'number', error: 'object?', carried: 'boolean?' },
  wake: {
    ...{ at: 'number', controller: 'text', key: 'text', cause: 'text', via: 'text?' },
    ...{ priority: 'number?' },
  },
  begin: {
    ...{ at: 'number', controller: 'text', key: 'text', id: 'number', attempt: 'number' },
    ...{ waitedMs: 'number', carried: 'boolean?', incomplete: 'boolean?' },
  },
  outcome: {
    ...{ at: 'number', controller: 'text', key: 'text', id: 'number', result: 'text' },
    ...{ requeueAfterMs: 'number?', error: 'object?' },
  },
  held: { at: 'number', controller: 'text', key: 'text', policy: 'text', forMs: 'number?' },
  watch: {
    ...{ at: 'number', source: 'text', scope: 'text?', state: 'text' },
    ...{ resourceVersion: 'text?', note: 'text?' },
  },
  leader: { at: 'number', group: 'number?', leads: 'boolean', holder: 'text?' },
  log: { at: 'number', level: 'text', message: 'text', fields: 'object' },
  end: { lines: 'number' },
};

/** The error for a line that is not a line of a record. The message does not quote the line. */
export class RecordLineError extends Error {}

/** The line as the file contains it, without its line break. */
export function recordLineText(line: RecordLine): string {
  return JSON.stringify(line);
}

/**
 * Parses a line. Undefined if this version does not know the kind of the line, because a later version may
 * have more kinds.
 *
 * @throws RecordLineError for a string that is not a JSON object, or lacks a member that its kind requires.
 */
export function parseRecordLine(text: string): RecordLine | undefined {
  const line = parsed(text);
  if (!isMapping(line) || typeof line.kind !== 'string') {
    throw new RecordLineError('is no JSON object with a kind');
  }
  if (!Object.hasOwn(FIELDS, line.kind)) return undefined;
  const fields = FIELDS[line.kind as RecordLine['kind']];
  for (const [name, type] of Object.entries(fields)) {
    if (!hasType(line[name], type)) {
      throw new RecordLineError(`has kind ${line.kind} and no usable member ${name}`);
    }
  }
  return line as unknown as RecordLine;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RecordLineError('is not JSON'); // the error of JSON.parse would quote the text
  }
}

function hasType(value: unknown, type: FieldType): boolean {
  if (value === undefined) return type.endsWith('?');
  if (type.startsWith('list')) return Array.isArray(value);
  if (type.startsWith('object')) return isMapping(value);
  if (type.startsWith('number')) return typeof value === 'number';
  return typeof value === (type.startsWith('text') ? 'string' : 'boolean');
}
