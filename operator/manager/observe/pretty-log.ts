import type { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { styleText } from 'node:util';
import { boundedText, visibleText } from '../../core/text/visible-text.ts';

interface PrettyLogOptions {
  readonly colour: boolean;
  /**
   * True while debug lines are logged. Lines then also contain stack frames of the toolkit and fields for
   * machines.
   */
  readonly showsDebug: () => boolean;
}

type Style = Parameters<typeof styleText>[0];

const LEVEL_STYLES: Readonly<Record<string, Style>> = {
  debug: 'dim',
  info: 'green',
  warn: 'yellow',
  error: 'red',
};

/** Fields that are printed at the beginning or the end of a line, and not among the other fields. */
const SHOWN: ReadonlySet<string> = new Set([
  ...['level', 'time', 'msg', 'controller', 'key', 'err', 'remedy', 'hint'],
  ...['by', 'via', 'object'],
]);

/** Fields that are needed only for debugging. */
const FOR_MACHINES: ReadonlySet<string> = new Set(['reconcileId']);

/**
 * If failures of a key follow each other within this many milliseconds, they get no line, and a later line
 * counts them.
 */
const FOLD_MS = 1_000;

/**
 * The maximum number of keys whose last failure is remembered. When this is exceeded, all are forgotten, so
 * that the next line of each key is a full line.
 */
const MAX_KEYS = 1_000;

const MAX_FIELD_CHARS = 200;

/**
 * If a retry is more than this many milliseconds away, the person who reads the line is likely to make a
 * change first.
 */
const LONG_WAIT_MS = 10_000;

/** A log line as pino writes it. */
interface Line {
  readonly level: string;
  readonly time: string;
  readonly msg?: string;
  readonly [field: string]: unknown;
}

/** An error as the logger describes it. */
interface Described {
  readonly type?: string;
  readonly code?: string;
  /** The layer at fault. Only errors of the toolkit have a layer. */
  readonly layer?: string;
  readonly message?: string;
  readonly stack?: string;
  readonly cause?: unknown;
  readonly context?: Readonly<Record<string, unknown>>;
}

/**
 * Turns JSON lines into human-readable lines with time, level, controller and key, message, error, fields,
 * and what to do. The frames of a stack follow on separate lines.
 *
 * A key that repeatedly fails with the same error gets one full line. Further failures get no line while the
 * next attempt is less than 1 s away. The next line shows the number of failures and the time to the next
 * attempt.
 *
 * @returns a function that formats one line. It returns undefined if the failure gets no line, and never
 *   throws.
 */
export function prettyLines({
  colour,
  showsDebug,
}: PrettyLogOptions): (json: string) => string | undefined {
  const paint = (style: Style, text: string): string => {
    const line = visibleText(text).replace(/[\r\n]+\s*/g, ' '); // a text may be of any origin
    return colour && line !== '' ? styleText(style, line, { validateStream: false }) : line;
  };
  const failing = new Map<string, string>();

  /** True when the line reports the same error as the previous failure of the key. */
  function isRepeated({ controller, key, failures, err }: Line): boolean {
    if (typeof failures !== 'number') return false;
    const id = `${controller} ${key}`;
    const error = describedIn(err).message ?? '';
    const before = failing.get(id);
    if (before === undefined && failing.size >= MAX_KEYS) failing.clear();
    failing.set(id, error);
    return failures > 1 && before === error;
  }

  return (json) => {
    const line = parsed(json);
    if (line === undefined) return json;
    const { retryInMs } = line;
    const again = isRepeated(line);
    const debugs = showsDebug();
    if (again && !debugs && Number(retryInMs) < FOLD_MS) return undefined;
    const { level, controller, key } = line;
    const parts = [
      paint('dim', timeOf(line.time)),
      paint(LEVEL_STYLES[level] ?? 'red', level.padEnd(5)),
      paint('cyan', [controller, key].filter((each) => typeof each === 'string').join(' ')),
      paint(level === 'debug' ? 'dim' : 'bold', messageIn(line)),
      paint('dim', fieldsOf(line, debugs)),
      paint('yellow', remedyOf(line)),
    ];
    const text = parts.filter((part) => part !== '').join(' ');
    const frames = again && !debugs ? [] : framesOf(line.err, debugs);
    return `${[text, ...frames.map((frame) => paint('dim', frame))].join('\n')}\n`;
  };
}

function parsed(json: string): Line | undefined {
  try {
    return JSON.parse(json) as Line;
  } catch {
    return undefined;
  }
}

/** The time of day in the local time zone. */
function timeOf(time: string): string {
  const at = new Date(time);
  const two = (value: number): string => String(value).padStart(2, '0');
  const ms = String(at.getMilliseconds()).padStart(3, '0');
  return `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${ms}`;
}

/** The message, together with the fields that complete its sentence. */
function messageIn(line: Line): string {
  const { msg = '', failures, retryInMs, changes, err } = line;
  const times = Number(failures) > 1 ? ` ${failures} times` : '';
  const next = typeof retryInMs === 'number' ? `, next in ${nextIn(retryInMs)}` : '';
  const names = [
    textIn(line, 'by', ' by '),
    textIn(line, 'via', ' via '),
    textIn(line, 'object', ' '),
  ];
  const changed = Array.isArray(changes) ? `: ${changes.join(', ')}` : '';
  const error = err === undefined ? '' : `: ${errorText(describedIn(err))}`;
  return `${msg}${times}${next}${names.join('')}${changed}${error}`;
}

function textIn(line: Line, name: string, before: string): string {
  return typeof line[name] === 'string' ? `${before}${line[name]}` : '';
}

/**
 * True for a field that appears elsewhere in the line. User code can log other values under the same name.
 */
function isShown(name: string, value: unknown): boolean {
  if (name === 'changes') return Array.isArray(value);
  if (name === 'failures' || name === 'retryInMs') return typeof value === 'number';
  return SHOWN.has(name) && (name === 'err' || typeof value === 'string');
}

/**
 * A person who repairs the object does not have to wait for the retry, because the change triggers an
 * attempt.
 */
function nextIn(ms: number): string {
  return ms < LONG_WAIT_MS ? duration(ms) : `${duration(ms)} or at the next change`;
}

function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 120_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

function describedIn(err: unknown): Described {
  return typeof err === 'object' && err !== null ? err : { message: String(err ?? '') };
}

/** The stack frames of a bug, or of the user code in which the toolkit threw an error on purpose. */
function framesOf(err: unknown, debugs: boolean): readonly string[] {
  const { stack = '', cause, layer } = describedIn(err);
  if (typeof cause === 'object' && cause !== null) return framesOf(cause, debugs);
  return orderedFrames(stack, { debugs, isBug: layer === undefined });
}

function errorText({ type, code, message = '', context = {}, cause }: Described): string {
  const facts = Object.entries(context).filter(([, value]) => !message.includes(String(value)));
  const shown = facts.map(([name, value]) => `${name} ${valueText(value)}`).join(', ');
  const because = cause === undefined ? '' : `; cause: ${causeText(cause)}`;
  return `${code ?? type ?? 'Error'}: ${message}${shown === '' ? '' : ` (${shown})`}${because}`;
}

function causeText(cause: unknown): string {
  return typeof cause === 'object' && cause !== null ? errorText(cause) : String(cause);
}

function fieldsOf(line: Line, debugs: boolean): string {
  return Object.entries(line)
    .filter(([name, value]) => !isShown(name, value) && (debugs || !FOR_MACHINES.has(name)))
    .map(([name, value]) => `${name}=${valueText(value)}`)
    .join(' ');
}

function valueText(value: unknown): string {
  const text = typeof value === 'string' && /^\S+$/.test(value) ? value : JSON.stringify(value);
  if (text === undefined) return '';
  return text.length <= MAX_FIELD_CHARS ? text : `${text.slice(0, MAX_FIELD_CHARS)}…`;
}

function remedyOf({ remedy, hint }: Line): string {
  const advice = [remedy, hint].find((each) => typeof each === 'string');
  return advice === undefined ? '' : `→ ${boundedText(advice)}`;
}

/** True for a stream that is a terminal. */
export function isTerminal(destination: Writable): boolean {
  return 'isTTY' in destination && destination.isTTY === true;
}

/**
 * True when human-readable lines may have colours. `FORCE_COLOR` overrides `NO_COLOR`, as in Node. The values
 * `0` and `false` of `FORCE_COLOR` turn colours off.
 */
export function showsColours(
  { FORCE_COLOR: force, NO_COLOR: none = '' }: Readonly<Record<string, string | undefined>>,
  onTerminal: boolean,
): boolean {
  if (force !== undefined) return force !== '0' && force !== 'false';
  return onTerminal && none === '';
}

const HERE = fileURLToPath(import.meta.url);
const DIST = '/dist/';

/**
 * The folder of the toolkit's own files, in the notation of stack frames. The build moves this file within
 * `dist/`.
 */
const TOOLKIT: string = HERE.endsWith('.ts')
  ? fileURLToPath(new URL('../../', import.meta.url))
  : HERE.slice(0, HERE.lastIndexOf(DIST) + DIST.length);

/**
 * The frames of a stack, with the user's own code first. If `debugs` is set, the frames of the toolkit and of
 * Node follow. Otherwise those frames are omitted; if a bug has no other frames, a line says how many were
 * omitted.
 */
function orderedFrames(
  stack: string,
  { debugs, isBug }: { readonly debugs: boolean; readonly isBug: boolean },
): readonly string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.filter((frame) => !isForeign(frame));
  const others = frames.filter(isForeign);
  if (debugs) return [...own, ...others];
  if (own.length > 0 || others.length === 0 || !isBug) return own;
  return [
    `    (${others.length} frames of chancery and Node: CHANCERY_LOG_LEVEL=debug shows them)`,
  ];
}

/** True for a frame in code that the author of an operator cannot change. */
function isForeign(frame: string): boolean {
  return (
    /[( ]node:/.test(frame) ||
    frame.includes('(<anonymous>)') ||
    frame.includes(TOOLKIT) ||
    /[/\\]node_modules[/\\](?:chancery|undici|@chancery[/\\]testing)[/\\]/.test(frame)
  );
}
