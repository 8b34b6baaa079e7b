import { goString } from '../../core/go/go-json.ts';
import { FormIndex } from './form-index.ts';

/**
 * Creates the placeholder for a value.
 *
 * @param text - the value, decoded from UTF-8.
 * @param number - the number of the value, counted from 1 in the order in which values are learned.
 */
export type MakePlaceholder = (bytes: Buffer, text: string, number: number) => string;

/**
 * Values that must not be recorded, and their placeholders. A value has the same placeholder in a whole
 * recording, so that requests and answers still match.
 */
export class SecretValues {
  readonly #make: MakePlaceholder;
  /** Placeholders, keyed by the base64 of the value. */
  readonly #placeholders = new Map<string, string>();
  readonly #issued = new Set<string>();
  /** Replacements of strings that should be base64 and are not, keyed by the placeholder of the string. */
  readonly #broken = new Map<string, string>();
  /**
   * Segments of request paths, such as names of objects. They are not masked, even if a Secret contains the
   * same string as a value.
   */
  readonly #names = new Set<string>();
  /** The values in each encoding, such as base64, with their replacements. */
  readonly #forms = new FormIndex();
  /**
   * The same strings, but without values that are words or numbers, because words and numbers are too common
   * in the API.
   */
  readonly #oddForms = new FormIndex();

  /**
   * @param make - makes the placeholder for a value. Default: numbered placeholders. A hash without a key
   *   would let readers guess short values.
   */
  constructor(make: MakePlaceholder = numberedPlaceholder) {
    this.#make = make;
  }

  /** Number of known values. */
  get size(): number {
    return this.#placeholders.size;
  }

  /** The placeholder of a value. A placeholder is returned unchanged, and so is an empty value. */
  placeholder(value: string | Buffer): string {
    const bytes = Buffer.from(value);
    const text = bytes.toString();
    if (bytes.length === 0 || this.#issued.has(text)) return text;
    const key = bytes.toString('base64');
    const known = this.#placeholders.get(key);
    if (known !== undefined) return known;
    const placeholder = this.#make(bytes, text, this.#placeholders.size + 1);
    this.#placeholders.set(key, placeholder);
    this.#issued.add(placeholder);
    if (isFindable(bytes, text, this.#names)) this.#addForms(key, text, placeholder);
    return placeholder;
  }

  /** True if `text` is a placeholder, plain or in base64. */
  isPlaceholder(text: string): boolean {
    return this.#issued.has(text) || this.#issued.has(Buffer.from(text, 'base64').toString());
  }

  /**
   * The placeholder for a value in base64. For a string that is not base64, the placeholder has the same
   * length and is not base64 either.
   */
  encodedPlaceholder(base64: string): string {
    const known = this.#broken.get(base64);
    if (known !== undefined) return known;
    const compact = base64.replaceAll(/[\r\n]/g, '');
    if (compact.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(compact)) {
      return Buffer.from(this.placeholder(Buffer.from(compact, 'base64'))).toString('base64');
    }
    const broken = base64.replaceAll(/[A-Za-z0-9+/]/g, 'A').replaceAll(/[^A=\r\n]/g, '!');
    if (broken !== base64) {
      this.#broken.set(this.placeholder(base64), broken); // messages quote the text
      this.#issued.add(broken);
    }
    return broken;
  }

  /**
   * Records names of objects. They are not masked, even if a secret value that is learned later is the same
   * string.
   */
  learnNames(names: Iterable<string>): void {
    for (const name of names) this.#names.add(name);
  }

  /**
   * `text` with placeholders for known values, even where a value is in base64, in JSON or encoded for URLs.
   */
  withoutValues(text: string): string {
    return this.#forms.replace(text);
  }

  /** `text` with placeholders for the known values, except values that are words or numbers. */
  withoutOddValues(text: string): string {
    return this.#oddForms.replace(text);
  }

  #addForms(base64: string, text: string, placeholder: string): void {
    const encoded = Buffer.from(placeholder).toString('base64');
    const forms: (readonly [form: string, instead: string])[] = [
      [base64, encoded],
      [withoutPadding(base64), withoutPadding(encoded)],
      [urlBase64(base64), urlBase64(encoded)],
      [encodeURIComponent(base64), encodeURIComponent(encoded)],
    ];
    if (Buffer.from(text).toString('base64') === base64) {
      forms.push(
        [text, placeholder],
        [inJson(text), inJson(placeholder)],
        [goString(text).slice(1, -1), inJson(placeholder)],
        [inJson(inJson(text)), inJson(inJson(placeholder))],
        [inUrl(text), inUrl(placeholder)],
        [inUrl(text).replaceAll('%20', '+'), inUrl(placeholder)],
      );
    }
    forms.push(...withinBase64(Buffer.from(base64, 'base64'), encoded));
    for (const [form, instead] of forms) {
      this.#forms.add(form, instead);
      if (!/^(?:[A-Za-z]+|\d+)$/.test(form)) this.#oddForms.add(form, instead);
    }
  }
}

/**
 * Bytes. Shorter values are replaced only in Secrets, because in other texts they would be found inside
 * unrelated words.
 */
const MIN_FOUND_BYTES = 6;

/**
 * Bytes. The placeholder of a longer value is as long as the value, so that in a replay the same objects
 * reach the size limits.
 */
const KEEPS_LENGTH_BYTES = 1_024;

/**
 * The placeholder for a JSON object is a JSON object, because the API server refuses a Secret of type
 * kubernetes.io/dockerconfigjson with any other value.
 */
const numberedPlaceholder: MakePlaceholder = ({ length }, text, number) => {
  const short = isJsonObject(text) ? `{"redacted":${number}}` : `redacted-${number}`;
  return length < KEEPS_LENGTH_BYTES ? short : short.padEnd(length);
};

function isFindable(bytes: Buffer, text: string, names: ReadonlySet<string>): boolean {
  return (
    bytes.length >= MIN_FOUND_BYTES &&
    !names.has(text) &&
    !'{"redacted":'.includes(text) &&
    !'redacted-'.includes(text)
  );
}

/** True if `text` is a JSON object. */
export function isJsonObject(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A value as it is encoded in a URL. Also works for half of a surrogate pair, which a URL cannot contain. */
function inUrl(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/**
 * The strings as which a value appears in the base64 of a longer text. Base64 encodes groups of three bytes,
 * so there is one string for each position of the value in a group, without the characters that depend on the
 * neighbouring bytes. The replacement is base64 of the same length.
 */
function withinBase64(bytes: Buffer, encoded: string): readonly (readonly [string, string])[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const whole = Math.floor(((before + bytes.length) * 8) / 6);
    const form = text.slice(Math.ceil((before * 8) / 6), whole);
    const filler = withoutPadding(encoded);
    return [form, filler.repeat(Math.ceil(form.length / filler.length)).slice(0, form.length)];
  });
}

function withoutPadding(base64: string): string {
  return base64.replace(/=+$/, '');
}

function urlBase64(base64: string): string {
  return withoutPadding(base64).replaceAll('+', '-').replaceAll('/', '_');
}
