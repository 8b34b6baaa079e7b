import { describeError } from '../manager/observe/logger.ts';
import { redactedFields } from '../manager/safety/redacted.ts';
import type { Entry } from '../model/entry.ts';
import {
  maskedPath,
  maskedRequestBody,
  maskedText,
  namesSecrets,
} from '../model/masks/masked-call.ts';
import { maskJson, maskMadeOfSecret } from '../model/masks/masked-json.ts';
import { isCredentialVariable } from '../model/masks/masked-text.ts';
import type { SecretValues } from '../model/masks/secret-values.ts';
import type { Flight } from './flight-recorder.ts';
import type { KeptCache, KeptLine } from './kept-line.ts';
import { MaskedBodies } from './masked-bodies.ts';
import { parseRecordLine, RecordLineError, recordLineText } from './parse-line.ts';
import type {
  AnswerLine,
  EndedLine,
  LogLine,
  RecordedSource,
  RecordLine,
  RequestLine,
} from './record-line.ts';

/** Number of characters of objects after which another `cached` line begins. */
const CACHED_CHARS = 1024 ** 2;

/**
 * The response headers that are recorded. The behavior of an operator does not depend on any other headers.
 */
const ANSWER_HEADERS = ['content-type', 'retry-after', 'warning'];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Converts the kept lines into the lines of a record, without secret values. A value may occur in a line
 * before another line reveals that it is secret. So all lines are masked twice: the first pass finds the
 * secret values, and the second pass replaces all of them.
 */
export class MaskedFlight {
  readonly #flight: Flight;
  readonly #values: SecretValues;
  readonly #secretSources: ReadonlyMap<string, RecordedSource>;
  #bodies: MaskedBodies;

  constructor(flight: Flight, values: SecretValues) {
    this.#flight = flight;
    this.#values = values;
    this.#bodies = new MaskedBodies(values);
    const secrets = flight.sources.filter(({ kind, plural }) => isSecretKind(kind, plural));
    this.#secretSources = new Map(secrets.map((source) => [source.id, source]));
  }

  /**
   * Finds out which values are secret. Yields after each line. @param environment - the environment variables
   * of the process.
   */
  *learn(environment: Environment): Generator<void, void, undefined> {
    for (const [name, value = ''] of Object.entries(environment)) {
      if (isCredentialVariable(name)) this.#values.placeholder(value);
    }
    for (const _ of this.#masked()) yield;
    this.#bodies = new MaskedBodies(this.#values);
  }

  /** The formatted lines of the record after the header. Yields undefined where the caller may pause. */
  *lines(): Generator<string | undefined, void, undefined> {
    for (const line of this.#masked()) yield line === undefined ? undefined : this.#text(line);
  }

  /** A line without secret values. */
  text(line: RecordLine): string {
    return this.#text(this.#plain(line));
  }

  *#masked(): Generator<RecordLine | undefined, void, undefined> {
    let isFirstSegment = true;
    const [first] = this.#flight.lines;
    const firstAt = first !== undefined && 'at' in first ? first.at : 0;
    for (const line of this.#flight.lines) {
      if (line.kind === 'state') isFirstSegment = line.at === firstAt;
      // The state at the beginning of a later segment is omitted, because it follows from the lines before
      // it.
      if (!isFirstSegment && isStateOf(line)) continue;
      yield* this.#lineOf(line);
      yield undefined;
    }
    for (const id of this.#bodies.open()) yield this.#bodies.end(id, this.#flight.to);
  }

  *#lineOf(line: KeptLine): Generator<RecordLine | undefined, void, undefined> {
    if (line.kind === 'cached') yield* this.#cached(line);
    else if (line.kind === 'request') yield this.#request(line);
    else if (line.kind === 'answer') yield this.#answer(line);
    else if (line.kind === 'chunk') yield this.#bodies.chunk(line);
    else if (line.kind === 'ended') {
      yield this.#bodies.end(line.id, line.at);
      yield this.#ended(line);
    } else if (line.kind === 'log') yield this.#log(line);
    else yield this.#plain(line);
  }

  *#cached({ entries, ...line }: KeptCache): Generator<RecordLine | undefined, void, undefined> {
    const secrets = this.#secretSources.get(line.source);
    let objects: unknown[] = [];
    let chars = 0;
    let isAny = false;
    for (const entry of entries) {
      const text = this.#object(entry, secrets);
      if (text === undefined) continue;
      objects.push(JSON.parse(text));
      chars += text.length;
      if (chars < CACHED_CHARS) {
        yield undefined;
        continue;
      }
      yield { ...line, objects };
      isAny = true;
      objects = [];
      chars = 0;
    }
    if (objects.length > 0 || !isAny) yield { ...line, objects };
  }

  /**
   * The masked JSON of an object. Undefined if the object cannot be read; its watch then delivers it again.
   */
  #object(entry: Entry, secrets: RecordedSource | undefined): string | undefined {
    if (entry.isUnreadable) return undefined;
    try {
      const text = entry.text ?? JSON.stringify(entry.object);
      if (secrets?.form === 'transformed') return maskMadeOfSecret(text, this.#values);
      return maskJson(text, secrets !== undefined, this.#values)?.text;
    } catch {
      return undefined;
    }
  }

  #request(line: RequestLine): RequestLine {
    const { path, body, contentType, ...rest } = line;
    const masked = maskedRequestBody({ body, contentType }, namesSecrets(path), this.#values);
    const hasSecret = typeof masked === 'string' || masked.hasSecret;
    this.#bodies.begin(line, hasSecret);
    const text = typeof masked === 'string' ? undefined : masked.text;
    return {
      ...this.#plain(rest as RequestLine),
      path: maskedPath(path, this.#values),
      ...(contentType !== undefined && { contentType }),
      ...(text !== undefined && { body: text }),
      ...(typeof masked === 'string' && { leftOut: masked }),
    };
  }

  #answer(line: AnswerLine): AnswerLine {
    this.#bodies.answer(line);
    const headers = ANSWER_HEADERS.flatMap((name) => {
      const value = line.headers[name];
      return value === undefined ? [] : [[name, maskedText(value, this.#values)]];
    });
    return { ...line, headers: Object.fromEntries(headers) };
  }

  #ended({ error, ...line }: EndedLine): EndedLine {
    if (error === undefined) return line;
    return { ...line, error: { ...error, message: maskedText(error.message, this.#values) } };
  }

  #log({ message, fields, ...line }: LogLine): LogLine {
    const redacted = JSON.stringify(redactedFields(fields, describeError));
    const masked = maskJson(redacted, false, this.#values, true)?.text ?? '{}';
    return {
      ...line,
      message: maskedText(message, this.#values),
      fields: JSON.parse(masked) as LogLine['fields'],
    };
  }

  /** Masks a line that contains only short strings, such as keys. */
  #plain<L extends object>(line: L): L {
    const members = Object.entries(line).map(([name, value]: [string, unknown]) => [
      name,
      name === 'kind' ? value : this.#short(value),
    ]);
    return Object.fromEntries(members) as L;
  }

  #short(value: unknown): unknown {
    if (typeof value === 'string') return maskedText(value, this.#values);
    if (Array.isArray(value)) return value.map((each) => this.#short(each));
    return typeof value === 'object' && value !== null ? this.#plain(value) : value;
  }

  /**
   * Formats a line. It may still contain a secret value, for example in the name of a member. Such a value is
   * replaced as well, unless it is a word or a number. If the result is not a valid line, the long strings of
   * the line are omitted.
   */
  #text(line: RecordLine): string {
    const text = recordLineText(rounded(line));
    const masked = this.#values.withoutOddValues(text);
    if (masked === text) return text;
    try {
      if (parseRecordLine(masked)?.kind === line.kind) return masked;
    } catch (error) {
      if (!(error instanceof RecordLineError)) throw error;
    }
    return recordLineText(withoutTexts(rounded(line)));
  }
}

function isSecretKind(kind: string, plural: string): boolean {
  return kind === 'Secret' || plural === 'secrets';
}

/** True for a line that describes the state at the beginning of a segment. */
function isStateOf(line: KeptLine): boolean {
  if (line.kind === 'cached' || line.kind === 'queued') return true;
  return 'carried' in line && line.carried === true;
}

/** Rounds times to microseconds, because further digits have no meaning. */
function rounded(line: RecordLine): RecordLine {
  if (!('at' in line)) return line;
  const at = Math.round(line.at * 1_000) / 1_000;
  if (!('waitedMs' in line)) return { ...line, at };
  return { ...line, at, waitedMs: Math.round(line.waitedMs * 1_000) / 1_000 };
}

function withoutTexts(line: RecordLine): RecordLine {
  if (line.kind === 'chunk') return { ...line, text: '', leftOut: Buffer.byteLength(line.text) };
  if (line.kind === 'cached') return { ...line, objects: [] };
  if (line.kind === 'log') return { ...line, message: '', fields: {} };
  if (line.kind !== 'request') return line;
  const { body: _, ...rest } = line;
  return { ...rest, leftOut: 'with a value of a Secret where none can be replaced' };
}
