import {
  type JsonMember,
  type JsonNode,
  parseJsonText,
  type Replacement,
  withReplacements,
} from './json-text.ts';
import {
  isCredentialName,
  isCredentialVariable,
  isSecretField,
  isSecretManifest,
  maskedMessage,
  withoutCredentials,
} from './masked-text.ts';
import type { SecretValues } from './secret-values.ts';

/** JSON without secrets. */
export interface MaskedJson {
  readonly text: string;
  /** True if the JSON contains a Secret, or if the request referred to Secrets. */
  readonly hasSecret: boolean;
}

/**
 * A body of the Kubernetes API, without the data of Secrets and without credentials. Everything else stays as
 * written.
 *
 * @param isAboutSecrets - true if the path of the request refers to Secrets. Each object without a kind is
 *   then treated as a Secret.
 * @param hasFreeNames - true if people choose the names of the members, as in the fields of a log line.
 *   Default false.
 * @returns undefined if `text` is not JSON.
 */
export function maskJson(
  text: string,
  isAboutSecrets: boolean,
  values: SecretValues,
  hasFreeNames = false,
): MaskedJson | undefined {
  const root = parseJsonText(text);
  if (root === undefined) return undefined;
  const masking = new Masking(values);
  masking.value(root, isAboutSecrets, hasFreeNames);
  const { replacements, hasSecret } = masking;
  return { text: withReplacements(text, replacements), hasSecret: hasSecret || isAboutSecrets };
}

/**
 * The result of a function that got a Secret, without any values, because the function may have copied the
 * data anywhere. Only `metadata`, `apiVersion` and `kind` stay.
 *
 * @returns undefined if `text` is not a JSON object.
 */
export function maskMadeOfSecret(text: string, values: SecretValues): string | undefined {
  const root = parseJsonText(text);
  if (root?.type !== 'object') return undefined;
  const masking = new Masking(values);
  masking.madeOfSecret(root.members);
  return withReplacements(text, masking.replacements);
}

/** `message`, which is a message of the API server about Secrets, without the values that it quotes. */
export function maskMessage(message: string, values: SecretValues): string {
  return maskedMessage(message, {
    json: (text) => maskJson(text, true, values)?.text,
    isPlaceholder: (word) => values.isPlaceholder(word),
    encoded: (word) => values.encodedPlaceholder(word),
  });
}

/**
 * Members whose values are defined by the API, such as `kind`. These values are not masked, although a Secret
 * may contain the same word as a secret value.
 */
const WORDS_OF_API = new Set([
  ...['apiVersion', 'kind', 'type', 'reason', 'status', 'phase', 'op', 'operation', 'fieldsType'],
  ...['uid', 'resourceVersion', 'creationTimestamp', 'code', 'protocol', 'imagePullPolicy'],
]);

/** Members that contain objects with freely chosen member names, such as `labels`. */
const FREE_NAMES = new Set([
  ...['data', 'stringData', 'binaryData', 'labels', 'annotations', 'matchLabels', 'selector'],
]);

/** The directives of a strategic merge patch, which are not part of the data. */
const DIRECTIVE = /^\$(?:patch|retainKeys|setElementOrder\/.*)$/;

class Masking {
  readonly replacements: Replacement[] = [];
  hasSecret = false;
  readonly #values: SecretValues;

  constructor(values: SecretValues) {
    this.#values = values;
  }

  /** @param hasFreeNames - true if people choose the names of the members; false if the API does. */
  value(node: JsonNode, inSecret: boolean, hasFreeNames = false): void {
    if (node.type === 'string') this.#text(node, inSecret);
    if (node.type === 'array') for (const item of node.items) this.value(item, inSecret);
    if (node.type !== 'object') return;
    for (const { key, keySpan } of node.members) {
      const isOwnWord = hasFreeNames || !/^[A-Za-z]+$/.test(key);
      if (isOwnWord) this.#replace(keySpan, key, this.#values.withoutValues(key));
    }
    this.#object(node.members, inSecret);
  }

  madeOfSecret(members: readonly JsonMember[]): void {
    for (const { key, value } of members) {
      if (key === 'metadata') this.value(value, true);
      else if (!['apiVersion', 'kind', 'type'].includes(key)) this.#data(value, key === 'data');
    }
  }

  #object(members: readonly JsonMember[], inSecret: boolean): void {
    const isSecret = inSecret || members.some(isKindSecret);
    this.hasSecret ||= isSecret && !inSecret;
    const operated = isSecret ? secretFieldOf(members) : undefined;
    const isVariable = isCredentialVariable(textOf(members, 'name') ?? '');
    for (const { key, value } of members) {
      if (isSecret && isSecretField(key)) this.#data(value, key.toLowerCase() === 'data');
      else if (key === 'value' && operated !== undefined) {
        if (operated.isWhole) this.#data(value, operated.isEncoded);
        else this.#leaf(value, operated.isEncoded);
      } else if (value.type !== 'string') this.value(value, isSecret, FREE_NAMES.has(key));
      else if (isCredentialName(key) || (isVariable && key === 'value')) this.#leaf(value, false);
      else if (isSecret && key === 'message') this.#message(value);
      else if (!WORDS_OF_API.has(key)) this.#text(value, isSecret);
    }
  }

  /** Masks the values of a Secret. The keys stay. */
  #data(node: JsonNode, isEncoded: boolean): void {
    if (node.type !== 'object') {
      this.#leaf(node, isEncoded);
      return;
    }
    for (const { key, keySpan, value } of node.members) {
      this.#replace(keySpan, key, this.#values.withoutOddValues(key));
      if (!DIRECTIVE.test(key)) this.#leaf(value, isEncoded);
    }
  }

  /**
   * Masks one value. It should be a string. Any other value, which a client may send by mistake, is masked as
   * well.
   */
  #leaf(node: JsonNode, isEncoded: boolean): void {
    if (node.type === 'string') {
      const { value } = node;
      const masked = isEncoded
        ? this.#values.encodedPlaceholder(value)
        : this.#values.placeholder(value);
      this.#replace(node, value, masked);
    }
    if (node.type === 'word' && node.value !== 'null') {
      this.replacements.push({ ...node, text: /^[-\d]/.test(node.value) ? '0' : 'true' });
    }
    const bytes = isEncoded ? bytesOf(node) : undefined;
    if (bytes !== undefined) {
      const masked = [...Buffer.from(this.#values.placeholder(bytes))];
      this.replacements.push({ ...node, text: JSON.stringify(masked) });
      return;
    }
    if (node.type === 'array') for (const item of node.items) this.#leaf(item, isEncoded);
    if (node.type !== 'object') return;
    for (const { key, keySpan, value } of node.members) {
      this.#replace(keySpan, key, this.#values.placeholder(key));
      this.#leaf(value, isEncoded);
    }
  }

  #text(node: JsonNode & { readonly type: 'string' }, inSecret: boolean): void {
    const { value } = node;
    this.#replace(node, value, this.#masked(value, inSecret));
  }

  #message(node: JsonNode & { readonly type: 'string' }): void {
    const known = this.#masked(node.value, true);
    this.#replace(node, node.value, maskMessage(known, this.#values));
  }

  /**
   * The masked string. A string may itself be JSON, as in the annotation with the last applied configuration.
   */
  #masked(text: string, inSecret: boolean): string {
    if (/^\s*[{[]/.test(text)) {
      const masked = maskJson(text, inSecret, this.#values);
      if (masked !== undefined) return masked.text;
    }
    if (isSecretManifest(text)) return this.#values.placeholder(text);
    return withoutCredentials(this.#values.withoutValues(text), this.#values);
  }

  #replace(span: { readonly start: number; readonly end: number }, from: string, to: string): void {
    if (from === to) return;
    this.replacements.push({ start: span.start, end: span.end, text: JSON.stringify(to) });
  }
}

/**
 * The bytes that a list of numbers represents. For a field of bytes, Go accepts such a list instead of
 * base64.
 */
function bytesOf(node: JsonNode): Buffer | undefined {
  if (node.type !== 'array' || node.items.length === 0) return undefined;
  const numbers = node.items.map((item) => (item.type === 'word' ? item.value : ''));
  const areBytes = numbers.every((number) => /^\d{1,3}$/.test(number) && Number(number) < 256);
  return areBytes ? Buffer.from(numbers.map(Number)) : undefined;
}

function isKindSecret({ key, value }: JsonMember): boolean {
  return /^kind$/i.test(key) && value.type === 'string' && /^Secret(?:List)?$/i.test(value.value);
}

/** The field of a Secret that an operation of a JSON patch writes. Undefined if it writes no data. */
function secretFieldOf(
  members: readonly JsonMember[],
): { readonly isWhole: boolean; readonly isEncoded: boolean } | undefined {
  const [, field = '', rest = ''] =
    /^\/?([^/]*)(\/.*)?$/s.exec(textOf(members, 'path') ?? '') ?? [];
  if (textOf(members, 'op') === undefined || !isSecretField(field)) return undefined;
  return { isWhole: rest === '', isEncoded: field.toLowerCase() === 'data' };
}

function textOf(members: readonly JsonMember[], name: string): string | undefined {
  const found = members.findLast(({ key }) => key === name)?.value;
  return found?.type === 'string' ? found.value : undefined;
}
