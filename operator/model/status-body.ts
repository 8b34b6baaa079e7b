/** One problem of a request. */
export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** What the API server reports about the request that failed and its object. */
export interface StatusDetails {
  /** Name of the object. */
  readonly name?: string;
  /** API group of the resource; omitted for the core group. */
  readonly group?: string;
  /** The plural of the resource that failed, despite the name of this field. */
  readonly kind?: string;
  /** The uid of the object, if the request contained one. */
  readonly uid?: string;
  /** One cause for each problem, such as a field. */
  readonly causes?: readonly StatusCause[];
  /** Seconds after which the request may be repeated. */
  readonly retryAfterSeconds?: number;
}

/** The API server's answer when it does not return an object. */
export interface Status {
  readonly kind: 'Status';
  readonly apiVersion?: string;
  readonly status?: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: StatusDetails;
  readonly code?: number;
}

type AnyStatus = Omit<Status, 'kind'>;

/**
 * Makes the Status of a failure safe to print: replaces each value that the API server quotes with
 * `(not shown)`. A refused value may be a Secret's, or a password in the environment of a Deployment.
 *
 * The status keeps its reason, the kind and name of the object, the paths of fields, and the description of a
 * rule up to the point where it repeats a fragment of the value. If the end of a value cannot be found, the
 * rest of the text is removed. Text from the author of an admission policy, a webhook or a
 * `messageExpression` stays, except for values that are quoted as the server quotes values.
 *
 * The messages of errors about fields are defined by `field.Error` in
 * `k8s.io/apimachinery/pkg/util/validation/field/errors.go`.
 *
 * @param code - the HTTP status. It determines how the messages of errors that are not about a field are
 *   interpreted.
 */
export function withoutValues<T extends AnyStatus>(status: T, code: number): T {
  const causes = asList(status.details?.causes);
  const { message } = status;
  const isWebhook = WEBHOOK.test(message ?? '');
  const shownCauses = causes.map((cause) => shownCause(cause, isWebhook, code));
  const isAboutFields = shownCauses.length > 0 && shownCauses.every(({ field }) => field);
  const heading = isAboutFields && code === 422 ? HEADING.exec(message ?? '')?.[0] : undefined;
  const shown =
    heading === undefined
      ? shownText(message ?? '', { code, scalars: causes.flatMap(scalarsIn), isWebhook })
      : `${heading}: ${listed(shownCauses)}`;
  return {
    ...status,
    ...(message !== undefined && { message: shown }),
    ...(causes.length > 0 && { details: { ...status.details, causes: shownCauses } }),
  };
}

/** The beginning of the message about a refused object: kind, group and name. */
const HEADING = /^[\w.-]* ?"(?:[^"\\\n]|\\.)*" is invalid(?=: )/;

const WEBHOOK = /denied the request/;

/**
 * The beginning of the message of a `field.Error`. After the words of the first group the message contains a
 * value, and after the words of the second group it does not.
 */
const FIELD_ERROR =
  /^(?:(Invalid value|Unsupported value|Duplicate value|Not found|Too many)|(Required value|Forbidden|Too long|Internal error))(?:: |$)/;

const VALUE_MARKER = /\b(?:Invalid value|Unsupported value|Duplicate value|Not found|Too many): /g;

/**
 * Matches a list of constants from a schema, or a list of field names. Such lists contain no values of the
 * object.
 */
const CONSTANTS =
  /^(?:(?:supported|valid) values: (?:"(?:[^"\\]|\\.)*"(?:, |$))+|strict decoding error: (?:(?:unknown|duplicate) field "[^"\\\n]*"(?:, |$))+)$/;

function asList(causes: unknown): readonly StatusCause[] {
  return Array.isArray(causes) ? causes.filter((each) => typeof each === 'object' && each) : [];
}

function listed(causes: readonly StatusCause[]): string {
  const texts = [...new Set(causes.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? `${texts[0]}` : `[${texts.join(', ')}]`;
}

function shownCause(cause: StatusCause, isWebhook: boolean, code: number): StatusCause {
  const { reason, field } = cause;
  const message = cause.message ?? '';
  const isFieldError =
    typeof field === 'string' && field !== '' && /^FieldValue/.test(reason ?? '');
  return {
    ...cause,
    ...(field !== undefined && { field: withoutElements(field) }),
    message: isFieldError
      ? fieldMessage(message, isWebhook)
      : shownText(message, { code, scalars: [], isWebhook }),
  };
}

function fieldMessage(message: string, isWebhook: boolean): string {
  const [start, withValue, withoutValue] = FIELD_ERROR.exec(message) ?? [];
  if (start === undefined) return NOT_SHOWN;
  const rest = message.slice(start.length);
  if (withoutValue !== undefined) return joined(withoutValue, detail(rest, []));
  const heading = `${withValue} ${NOT_SHOWN}`;
  const value = scanValue(rest, 0);
  if (value !== undefined && rest.slice(value.end, value.end + 2).match(/^(?:: |$)/)) {
    return joined(heading, detail(rest.slice(value.end + 2), value.scalars));
  }
  // For a rule in a schema, the server prints the rule or its message instead of the value.
  const isRule = /^[\p{L}`']/u.test(rest) && !/[{}]|^[\w.*]*[[(&]/.test(rest) && !isWebhook;
  const [, withColon = rest] = /^failed rule: (.*)$/s.exec(rest) ?? [];
  if (!isRule || (withColon === rest && rest.includes(': '))) return heading;
  return joined(withValue ?? '', withColon === rest ? detail(rest, []) : firstLine(rest));
}

/**
 * The description of a rule, without values. Only the first line is used, because later lines contain a diff
 * of objects or a fragment of a value.
 */
function detail(text: string, scalars: readonly string[]): string {
  const line = firstLine(text);
  if (CONSTANTS.test(line)) return line;
  return beforeRepetition(
    maskQuoted(line, () => false),
    scalars,
  );
}

function firstLine(text: string): string {
  const at = text.search(/[\r\n]/);
  return at < 0 ? text : `${text.slice(0, at)} …`;
}

function joined(heading: string, words: string): string {
  return words === '' ? heading : `${heading}: ${words}`;
}

function scalarsIn({ message = '' }: StatusCause): readonly string[] {
  const marker = FIELD_ERROR.exec(message);
  return marker?.[1] === undefined ? [] : (scanValue(message, marker[0].length)?.scalars ?? []);
}

interface TextOptions {
  readonly code: number;
  /** The values that the messages of the causes contain. */
  readonly scalars: readonly string[];
  readonly isWebhook: boolean;
}

/** The message of any other error. If it quotes a value, the value and its repetitions are replaced. */
function shownText(text: string, { code, scalars }: TextOptions): string {
  VALUE_MARKER.lastIndex = 0;
  const marker = VALUE_MARKER.exec(text);
  if (marker === null) return withoutElements(outsideOfFields(text, code));
  const value = scanValue(text, VALUE_MARKER.lastIndex);
  const before = text.slice(0, VALUE_MARKER.lastIndex - 2);
  const heading = `${withoutElements(outsideOfFields(before, code))} ${NOT_SHOWN}`;
  if (value === undefined) return heading;
  const rest = text.slice(value.end);
  const known = [...value.scalars, ...scalars];
  // If the text contains a second value, nothing marks where the description of the first rule ends, so the
  // rest is removed.
  const next = rest.search(VALUE_MARKER);
  if (next >= 0) return heading;
  return joined(heading, detail(rest.replace(/^: /, ''), known));
}

/**
 * Status codes of answers that quote only names: of users, resources, namespaces, limits and field managers.
 */
const ABOUT_NAMES: ReadonlySet<number> = new Set([
  401, 403, 404, 405, 409, 410, 415, 429, 503, 504,
]);

const NAME_BEFORE =
  /\b(?:(?:version|field|parameter|kind|webhook|Post|Get|resources?|namespace|container|pod|group) |\w+=)$/;

/**
 * A message that is not about a field, with its values removed. The message may come from a decoder, which
 * quotes what it could not read.
 */
function outsideOfFields(text: string, code: number): string {
  if (ABOUT_NAMES.has(code)) return text;
  const head = ABOUT_AN_OBJECT.exec(text)?.[0] ?? '';
  return head + decoderText(text.slice(head.length));
}

/** Matches the beginning of an answer about one object, with the object's resource and name. */
const ABOUT_AN_OBJECT = /^[\w.-]+ "(?:[^"\\\n]|\\.)*" is (?:forbidden|invalid): /;

function decoderText(text: string): string {
  const cut = text
    .replace(/(json parse error: [^(]*)\(.*/s, `$1${NOT_SHOWN}`)
    .replace(/got &?[\w.]+\{.*/s, `got ${NOT_SHOWN}`)
    .replace(/unmarshal number \S+ into/g, `unmarshal number ${NOT_SHOWN} into`)
    .replace(/(!!\w+) `[^`]*(?:`|$)/g, `$1 ${NOT_SHOWN}`)
    .replace(/invalid character '(?:[^'\\]|\\.)*'/g, `invalid character ${NOT_SHOWN}`);
  return maskQuoted(cut, (before) => NAME_BEFORE.test(before));
}

/**
 * Replaces values in paths: the path of an element of a set contains the element, as in `.spec.words[="x"]`.
 */
function withoutElements(text: string): string {
  return text.replace(/\[=(?:"(?:[^"\\]|\\.)*"|[^\]"]*)\]/g, `[=${NOT_SHOWN}]`);
}

/** Stands for a value that the server quotes, and for later words that repeat a fragment of it. */
const NOT_SHOWN = '(not shown)';

/** A string in quotes, as Go's `%q` or JSON writes it. */
const QUOTED = /"(?:[^"\\\n]|\\.)*"/y;

const SCALAR = /(?:-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null|<nil>)/y;

/** A value at the beginning of a text, and the scalars in the value. */
interface ScannedValue {
  readonly end: number;
  /** Strings and numbers, without field names. */
  readonly scalars: readonly string[];
}

/**
 * The value at `start`, as the API server prints it: a string by `%q`, a number, a boolean, `null`, or JSON.
 * Undefined if it is printed in another way, because its end cannot be found.
 */
function scanValue(text: string, start: number): ScannedValue | undefined {
  const first = text[start];
  const end =
    first === '{' || first === '['
      ? endOfNested(text, start)
      : first === '"'
        ? endOf(QUOTED, text, start)
        : endOf(SCALAR, text, start);
  if (end === undefined || !/^(?:$|: |, |\]|\))/.test(text.slice(end, end + 2))) return undefined;
  return { end, scalars: scalarsOf(text.slice(start, end)) };
}

/** `text` up to the point where it repeats a fragment of a value, followed by `(not shown)`. */
function beforeRepetition(text: string, scalars: readonly string[]): string {
  const parts = new Set(scalars.flatMap(wordsOf));
  let end = text.length;
  for (const { 0: word, index } of text.matchAll(WORD)) {
    if (!parts.has(word.toLowerCase())) continue;
    end = index;
    break;
  }
  for (const scalar of scalars) {
    const at = scalar.length < MIN_PART ? -1 : text.indexOf(scalar);
    if (at >= 0 && at < end) end = at;
  }
  return end === text.length
    ? text
    : `${text.slice(0, end).replace(/["'`([\s]+$/, '')} ${NOT_SHOWN}`;
}

/**
 * Replaces quoted strings with `(not shown)`. `isName` gets the text before a quoted string. If it returns
 * true, the string is a name and is not replaced.
 */
function maskQuoted(text: string, isName: (before: string) => boolean): string {
  return text.replace(/"(?:[^"\\]|\\.)*(?:"|$)/gs, (quoted, at: number) =>
    isName(text.slice(Math.max(0, at - 40), at)) ? quoted : NOT_SHOWN,
  );
}

/** Minimum length of a fragment. Single characters and digits are too common in the text of a rule. */
const MIN_PART = 2;

const WORD = /[\p{L}\p{N}]+/gu;

function wordsOf(scalar: string): readonly string[] {
  const words = scalar.match(WORD) ?? [];
  return words.filter(({ length }) => length >= MIN_PART).map((word) => word.toLowerCase());
}

function endOf(pattern: RegExp, text: string, start: number): number | undefined {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOfNested(text: string, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (char === '"') {
      const end = endOf(QUOTED, text, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (char === '{' || char === '[') {
      depth++;
    } else if (char === '}' || char === ']') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

function scalarsOf(printed: string): readonly string[] {
  const value = parsed(printed);
  if (value === undefined) return [printed.replace(GO_ESCAPE, ' ')];
  return leavesOf(value).filter((leaf) => !TYPES.has(leaf));
}

/** Names of types. API servers print them instead of a value that is an object or has the wrong type. */
const TYPES: ReadonlySet<string> = new Set('array boolean integer number object string'.split(' '));

const GO_ESCAPE = /\\(?:x[\da-f]{2}|u[\da-f]{4}|U[\da-f]{8}|.)/gs;

/** `%q` has escapes that JSON does not have. A string with such escapes is not decoded. */
function parsed(printed: string): unknown {
  try {
    return JSON.parse(printed);
  } catch {
    return undefined;
  }
}

function leavesOf(root: unknown): readonly string[] {
  const leaves: string[] = [];
  const left: unknown[] = [root];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'object' && value !== null) {
      for (const each of Object.values(value)) left.push(each);
    } else if (typeof value === 'string' || typeof value === 'number') leaves.push(String(value));
  }
  return leaves;
}
