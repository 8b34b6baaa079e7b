/**
 * Content → the hash that the original writes into variables and annotations.
 *
 * SHA-1 over the items `key=value`, sorted as whole items by their bytes and joined with `;`. Equal values are
 * essential: then a switch from the original causes no rollout. The hash is no security function here: nothing
 * is signed or protected by it. It is not injective either: a `;` in a value can hide a change, so `a: "1;b=2"`
 * has the hash of `a: "1"` with `b: "2"`.
 */
import { createHash } from 'node:crypto';
import { ProtocolError } from 'chancery';

/** The hash of a ConfigMap or Secret without data: SHA-1 of nothing. */
export const EMPTY_HASH = 'da39a3ee5e6b4b0d3255bfef95601890afd80709';

/** What the annotations strategy records for a deleted resource: SHA-1 of the marker of the original. */
export const DELETED_HASH = 'aae45badef99284e4dae01d6046154ea9d99532f';

/** What a hash needs of a ConfigMap. The API leaves out maps without entries, or sends null. */
export interface ConfigMapContent {
  readonly data?: Readonly<Record<string, string | null>> | null;
  /** Values as base64. */
  readonly binaryData?: Readonly<Record<string, string | null>> | null;
}

/** What a hash needs of a Secret. */
export interface SecretContent {
  /** Values as base64. */
  readonly data?: Readonly<Record<string, string | null>> | null;
}

/** What a hash needs of a SecretProviderClassPodStatus: its `status`. */
export interface ProviderStatusContent {
  readonly secretProviderClassName?: string;
  readonly objects?: readonly { readonly id?: string; readonly version?: string }[] | null;
}

const SEPARATOR = Buffer.from(';');

/**
 * The hash of a ConfigMap: `data` as it is and `binaryData` as padded standard base64, sorted together. Metadata
 * and `immutable` do not count.
 *
 * @param keys - the only keys that count. Default: all.
 * @throws ProtocolError when a value of `binaryData` is not base64, which no API server sends.
 */
export function hashOfConfigMap(
  { data, binaryData }: ConfigMapContent,
  keys?: readonly string[],
): string {
  const texts = entriesOf(data, keys).map(([key, value]) => item(key, value ?? ''));
  const binaries = entriesOf(binaryData, keys).map(([key, value]) =>
    item(key, bytesOf(key, value).toString('base64')),
  );
  return hashOfItems([...texts, ...binaries]);
}

/**
 * The hash of a Secret: `data` as bytes, which are never read as text. Metadata, `type` and `immutable` do not
 * count.
 *
 * @param keys - the only keys that count. Default: all.
 * @throws ProtocolError when a value is not base64, which no API server sends. The message has the key only.
 */
export function hashOfSecret({ data }: SecretContent, keys?: readonly string[]): string {
  return hashOfItems(
    entriesOf(data, keys).map(([key, value]) =>
      Buffer.concat([Buffer.from(`${key}=`), bytesOf(key, value)]),
    ),
  );
}

/** The hash of what the CSI driver mounted into one Pod: `id=version` of each object, and the class. */
export function hashOfProviderStatus(status: ProviderStatusContent): string {
  const objects = (status.objects ?? []).map(({ id = '', version = '' }) => item(id, version));
  return hashOfItems([
    ...objects,
    item('SecretProviderClassName', status.secretProviderClassName ?? ''),
  ]);
}

function entriesOf(
  data: SecretContent['data'],
  keys: readonly string[] | undefined,
): (readonly [key: string, value: string | null])[] {
  const all = Object.entries(data ?? {});
  return keys === undefined ? all : all.filter(([key]) => keys.includes(key));
}

/** Lone surrogates become U+FFFD, as in Go's JSON decoder. */
function item(key: string, value: string): Buffer {
  return Buffer.from(`${key}=${value}`);
}

function hashOfItems(items: readonly Buffer[]): string {
  const hash = createHash('sha1');
  items
    .toSorted((one, other) => one.compare(other))
    .forEach((each, index) => {
      if (index > 0) hash.update(SEPARATOR);
      hash.update(each);
    });
  return hash.digest('hex');
}

/** Padded standard base64 without white space, if its length is a multiple of 4. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/**
 * Decodes as `encoding/json` of Go does for `[]byte`: null is empty, line ends inside are skipped, and surplus
 * bits of the last character are dropped (`base64.StdEncoding`). Node alone would also take text without padding,
 * the URL alphabet, and any other character.
 */
function bytesOf(key: string, value: string | null): Buffer {
  const text = (value ?? '').replace(/[\r\n]/g, '');
  if (text.length % 4 === 0 && BASE64.test(text)) return Buffer.from(text, 'base64');
  throw new ProtocolError('a value of the data is not base64', {
    code: 'DECODE',
    context: { key },
  });
}
