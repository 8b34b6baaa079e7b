import type { SecretValues } from './secret-values.ts';

/**
 * Members with these names contain credentials in a kubeconfig, in a TokenRequest and in most custom
 * resources.
 */
const CREDENTIAL_NAME =
  /^(?:(?:(?:access|refresh|id|bearer|auth|api)[-_]?)?token|password|passwd|passphrase|client[-_]?(?:key[-_]?data|secret)|(?:api|private|secret|secret[-_]?access)[-_]?key)$/i;

/** True if a member or a line with this name is a credential, provided that its value is a string. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAME.test(name);
}

/** True if an environment variable with this name probably contains a credential. */
export function isCredentialVariable(name: string): boolean {
  return /pass(?:word|wd|phrase)|secret|token|credential|(?:api|private|access)[-_]?key/i.test(
    name,
  );
}

const PRIVATE_KEY = /-----BEGIN ([A-Z0-9 ]*PRIVATE KEY)-----[\s\S]*?(?:-----END \1-----|$)/g;
const JSON_WEB_TOKEN = /\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g;
/**
 * Matches `ID.SECRET`, which `kubeadm join` uses, but not the name of an Event, which has only hexadecimal
 * digits after its dot.
 */
const BOOTSTRAP_TOKEN = /(?<![\w.-])[a-z0-9]{6}\.(?=[a-z0-9]*[g-z])[a-z0-9]{16}(?![\w.-])/g;
/** A word without a digit is part of a sentence, not a credential. */
const AUTHORIZATION = /\b((?:Bearer|Basic)\s+)(?=\S*\d)([\w+/.~-]{8,}=*)/gi;
const URL_PASSWORD = /(\b[a-z][a-z0-9+.-]*:\/\/[^\s/:@"']*:)([^\s/@"']+)(?=@)/gi;
/** Matches a line of YAML, or a member of JSON within a text. */
const NAMED_LINE =
  /((?:^|[\s{,])(["']?)([A-Za-z][\w-]*)\2[ \t]*:[ \t]*)(["']?)([^\s"'][^\n"']*)\4/gm;

/** `text` without the credentials that can be recognised by their notation, or by the name before them. */
export function withoutCredentials(text: string, values: SecretValues): string {
  const placeholder = (match: string): string => values.placeholder(match);
  const masked = text
    .replace(PRIVATE_KEY, placeholder)
    .replace(JSON_WEB_TOKEN, placeholder)
    .replace(BOOTSTRAP_TOKEN, placeholder)
    .replace(AUTHORIZATION, (_, before: string, secret: string) => before + placeholder(secret))
    .replace(URL_PASSWORD, (_, before: string, secret: string) => before + placeholder(secret));
  if (!masked.includes(':') || !masked.includes('\n')) return masked;
  return masked.replace(NAMED_LINE, (whole, before, _quote, name, quote, secret: string) =>
    isCredentialName(name) ? before + quote + placeholder(secret.trimEnd()) + quote : whole,
  );
}

/** True if `text` is the manifest of a Secret in YAML, as a ConfigMap may contain it. */
export function isSecretManifest(text: string): boolean {
  return (
    /^[ \t-]*kind:[ \t]*["']?Secret\b/m.test(text) && /^[ \t]*(?:data|stringData):/m.test(text)
  );
}

/**
 * Matches the names of the fields of a Secret that contain its data, in upper or lower case: Go reads only
 * one spelling, but people write other spellings by mistake.
 */
const SECRET_FIELD = /^(?:data|stringData)$/i;

export function isSecretField(name: string): boolean {
  return SECRET_FIELD.test(name);
}

/** A string in quotes, as Go and JSON write it. */
const QUOTED = /"(?:[^"\\]|\\.)*"/g;
/** A JSON object in a message that is not enclosed in quotes. */
const UNQUOTED = /\{\s*"[\s\S]*\}/;
/** `data:map[KEY:VALUE KEY:VALUE]`, as Go prints a map. */
const GO_MAP = /\b((?:data|stringData):map\[)([\s\S]*)(?=\])/gi;
/** The message of server-side apply about a value with a wrong type. */
const WRONG_TYPE = /(\.(?:data|stringData)\b[^\n]*?: expected [^\n]*?, got )([^\n]*)/gi;

/** The functions that mask the different elements of a message. */
interface MessageMasks {
  /** The masked JSON. Undefined if `text` is not JSON. */
  json(text: string): string | undefined;
  isPlaceholder(word: string): boolean;
  /** The replacement for a value in `data`, which is encoded in base64. */
  encoded(word: string): string;
}

/**
 * Masks a message of the API server about a Secret, which may quote the whole patched object, as JSON or as
 * Go prints a map.
 */
export function maskedMessage(message: string, masks: MessageMasks): string {
  const masked = message
    .replace(UNQUOTED, (text) => masks.json(text) ?? 'redacted')
    .replace(QUOTED, (quoted) => maskedQuote(quoted, masks))
    .replace(WRONG_TYPE, (_, before: string, value: string) => before + maskedGo(value, masks));
  // Finds a quotation that has no end, because the server has cut the message.
  const cutAt = masked.replace(QUOTED, (quoted) => ' '.repeat(quoted.length)).search(/"\s*[{[]/);
  const ended = cutAt < 0 ? masked : `${masked.slice(0, cutAt)}"redacted"`;
  return ended.replace(GO_MAP, (_, before: string, entries: string) => {
    const isEncoded = before.startsWith('data');
    const masked = entries.split(' ').map((entry) => maskedEntry(entry, isEncoded, masks));
    return before + masked.join(' ');
  });
}

function maskedQuote(quoted: string, masks: MessageMasks): string {
  if (!/^"\s*[{[]/.test(quoted)) return quoted;
  try {
    const text: string = JSON.parse(quoted.replaceAll(/\\x([0-9a-f]{2})/g, '\\u00$1'));
    const masked = masks.json(text);
    if (masked === text) return quoted;
    return masked === undefined ? '"redacted"' : JSON.stringify(masked);
  } catch {
    return '"redacted"';
  }
}

function maskedEntry(entry: string, isEncoded: boolean, masks: MessageMasks): string {
  const [, name = '', value = '', end = ''] = /^([^:]*:)?([\s\S]*?)(\]*)$/.exec(entry) ?? [];
  if (name === '') return `redacted${end}`;
  const word = wordInstead(value, masks);
  return (
    name +
    (isEncoded && word === value && masks.isPlaceholder(word) ? masks.encoded(word) : word) +
    end
  );
}

function maskedGo(value: string, masks: MessageMasks): string {
  const [, before, inner = '', end] =
    /^(&value\.valueUnstructured\{Value:)(.*)(\})$/.exec(value) ?? [];
  return before === undefined ? 'redacted' : before + wordInstead(inner, masks) + end;
}

/**
 * The placeholder for a word. All numbers have the placeholder `0`, and both booleans have the placeholder
 * `true`, just as when bodies are masked.
 */
function wordInstead(value: string, masks: MessageMasks): string {
  if (masks.isPlaceholder(value) || value === '' || value === '<nil>') return value;
  if (/^-?[\d.]+(?:e[+-]?\d+)?$/.test(value)) return '0';
  return /^(?:true|false)$/.test(value) ? 'true' : 'redacted';
}
