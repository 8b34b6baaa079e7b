import type { StructuralSchema } from '../../model/structural-schema.ts';
import { knownPattern } from '../pattern/pattern.ts';
import { PatternCostError } from '../pattern/tree.ts';
import { TooMuchWork, Work } from '../work.ts';
import { patternTexts } from './pattern-texts.ts';
import { fitting } from './sample-problems.ts';

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

/** Texts that often match the pattern of a field. */
const OFTEN: readonly string[] = [
  'example.com',
  'https://example.com/',
  'example.com/sample:1.0',
  '0 0 * * *',
  '10s',
  '10m',
  '1Gi',
  '1.0.0',
  'v1',
  'v1.0.0',
  '/sample',
  'SAMPLE',
  'Sample',
  '1',
  'a',
  '',
  ...Object.values(BY_FORMAT),
];

/** Maximum length. A much longer text is not a useful example. */
const MAX_LENGTH = 4096;

/** Maximum number of steps of the search for one text. Each field has its own limit. */
const FIELD_STEPS = 200_000;

/** Number of variants of a text that are tried. */
const VARIANTS = 20;

/**
 * The first candidate that the schema allows. If it allows none, or if comparing with the pattern takes more
 * steps than a field may take, the result is `wanted`.
 *
 * @param wanted - the preferred text. It is used if the schema allows it and has no format.
 * @param at - different values result in different texts, if the schema allows that.
 */
export function sampleText(
  schema: StructuralSchema,
  { wanted, at = 0, work }: { wanted: string; at?: number; work: Work },
): string {
  const own = new Work(Math.min(FIELD_STEPS, work.left), work);
  try {
    return fitting(candidates(schema, wanted, own), schema, at, own) ?? sized(wanted, schema);
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return sized(wanted, schema);
  }
}

function* candidates(schema: StructuralSchema, wanted: string, work: Work): Generator<string> {
  const { format = '', pattern, minLength = 0 } = schema;
  const numbers = Array.from({ length: VARIANTS }, (_none, at) => `${at + 1}`);
  const plain = [
    ...(Object.hasOwn(BY_FORMAT, format) ? variants(BY_FORMAT[format] ?? '') : []),
    wanted,
    ...numbers.map((each) => `${wanted}-${each}`),
    ...(pattern === undefined ? [] : OFTEN),
  ];
  yield* plain;
  for (const text of [...plain, ...numbers]) yield sized(text, schema);
  if (pattern === undefined) return;
  try {
    work.spend(pattern.length);
    const options = {
      minLength: Math.min(Math.max(minLength, 0), MAX_LENGTH),
      variants: VARIANTS,
      work,
    };
    for (const text of patternTexts(knownPattern(pattern), options)) {
      yield text;
      yield sized(text, schema);
    }
  } catch (error) {
    // Candidates were already compared with this pattern, so its error is reported as a problem of the field.
    if (!(error instanceof SyntaxError || error instanceof PatternCostError)) throw error;
  }
}

/** Variants of a text in which one digit is different, so that they are other addresses, dates or numbers. */
function variants(text: string): readonly string[] {
  const other = (digit: string): string =>
    /\d/.test(text) ? text.replace(/\d(?=\D*$)/, digit) : `${digit}${text}`;
  return [text, ...[...'123456789'].map(other)];
}

function sized(text: string, { minLength = 0, maxLength = MAX_LENGTH }: StructuralSchema): string {
  return text.padEnd(Math.min(minLength, MAX_LENGTH), 'a').slice(0, Math.max(maxLength, 0));
}
