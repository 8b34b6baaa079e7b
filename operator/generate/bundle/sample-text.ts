import type { StructuralSchema } from '../../model/structural-schema.ts';
import { isFormat } from '../../model/text-format.ts';
import { patternTexts } from './pattern-texts.ts';

/** No value is found that a schema allows. */
export class NoSample extends Error {
  override readonly name = 'NoSample';
}

/** By format, or because fields often want one of them. */
const BY_FORMAT: Readonly<Record<string, string>> = {
  byte: 'c2FtcGxl',
  bsonobjectid: '507f1f77bcf86cd799439011',
  cidr: '192.0.2.0/24',
  creditcard: '4111111111111111',
  date: '2030-01-01',
  datetime: '2030-01-01T00:00:00Z',
  'date-time': '2030-01-01T00:00:00Z',
  duration: '1h',
  email: 'someone@example.com',
  hexcolor: '#336699',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  isbn: '9780306406157',
  isbn10: '0306406152',
  isbn13: '9780306406157',
  'k8s-long-name': 'example.com',
  'k8s-short-name': 'sample',
  mac: '02:00:5e:00:53:01',
  rgbcolor: 'rgb(51,102,153)',
  ssn: '123-45-6789',
  uri: 'https://example.com/',
  uuid: '123e4567-e89b-42d3-a456-426614174000',
  uuid3: 'a3bb189e-8bf9-3888-9912-ace4e6543002',
  uuid4: '123e4567-e89b-42d3-a456-426614174000',
  uuid5: 'a6edc906-2f9f-5fb2-a373-efac406f0ef2',
};

const OFTEN: readonly string[] = [
  'example.com',
  'https://example.com/',
  'example.com/sample:1.0',
  '0 0 * * *',
  '10s',
  '10m',
  '1Gi',
  '1.0.0',
  '/sample',
  'SAMPLE',
  'Sample',
  '1',
  'a',
];

/**
 * A text that the schema allows.
 *
 * @param wanted - taken if it is allowed.
 * @throws NoSample when none is found.
 */
export function sampleText(schema: StructuralSchema, wanted: string): string {
  const { format = '', pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema;
  const matches = matcherOf(pattern);
  const isAllowed = (text: string): boolean =>
    [...text].length >= minLength &&
    [...text].length <= maxLength &&
    matches(text) &&
    isFormat(text, format);
  const simple = [
    Object.hasOwn(BY_FORMAT, format) ? (BY_FORMAT[format] ?? wanted) : wanted,
    wanted,
    ...OFTEN,
    wanted.slice(0, Math.min(maxLength, wanted.length)),
    '',
  ];
  const found = simple.find(isAllowed) ?? lengthened(wanted, minLength, isAllowed);
  if (found !== undefined) return found;
  for (const text of pattern === undefined ? [] : patternTexts(pattern, minLength)) {
    if (isAllowed(text)) return text;
  }
  throw new NoSample(`a text like ${pattern}`);
}

/** A text much longer than this is no example. */
const MAX_LENGTH = 4096;

function lengthened(
  wanted: string,
  minLength: number,
  isAllowed: (text: string) => boolean,
): string | undefined {
  if (minLength > MAX_LENGTH) return undefined;
  const long = wanted.padEnd(minLength, 'a');
  return isAllowed(long) ? long : undefined;
}

/** The API server's expressions are almost those of JavaScript; one that is not matches nothing here. */
function matcherOf(pattern: string | undefined): (text: string) => boolean {
  if (pattern === undefined) return () => true;
  try {
    const expression = new RegExp(pattern);
    return (text) => expression.test(text);
  } catch {
    return () => false;
  }
}
