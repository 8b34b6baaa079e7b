/** Texts of `shardSelector`, with what a real kube-apiserver 1.36.2 answers: `real-shards.tools.test.ts` asks one. */

const UID = 'object.metadata.uid';

export function range(start: string, end: string, field = UID): string {
  return `shardRange(${field}, '0x${start}', '0x${end}')`;
}

export const FIRST = '0000000000000000';
export const MIDDLE = '8000000000000000';
/** 2^64. */
export const END = '10000000000000000';

const LOWER = range(FIRST, MIDDLE);
const with_ = (argument: string): string => `shardRange(${UID}, ${argument}, '0x${MIDDLE}')`;
const of = (field: string): string => range(FIRST, MIDDLE, field);

/** Text → the selector as the server writes it. */
export const GOOD: readonly (readonly [text: string, canonical: string])[] = [
  [LOWER, LOWER],
  [range(FIRST, END), range(FIRST, END)],
  [` \t(${LOWER}) // both halves? no`, LOWER],
  [LOWER.replaceAll("'", '"'), LOWER],
  [LOWER.replaceAll("'", "'''"), LOWER],
  [LOWER.replaceAll("'0x", "r'0x"), LOWER],
  [LOWER.replaceAll('0x', '\\u0030x'), LOWER],
  [LOWER.replaceAll('.', ' . ').replace('(', '\n('), LOWER],
  // The object of a method is not looked at.
  [`anything.${LOWER}`, LOWER],
  [`!!${LOWER}`, LOWER],
  [`${range(MIDDLE, END)}||${LOWER}`, `${range(MIDDLE, END)} || ${LOWER}`],
  [
    `${LOWER} || (${LOWER} || ${range('4000000000000000', 'c000000000000000')})`,
    `${LOWER} || ${LOWER} || ${range('4000000000000000', 'c000000000000000')}`,
  ],
  [of('object.metadata.namespace'), of('object.metadata.namespace')],
];

/** Text → what is said behind `invalid shard selector: `. */
export const BAD: readonly (readonly [text: string, problem: string])[] = [
  [' ', 'empty shard selector is not allowed; omit the parameter for unfiltered lists'],
  ['object', 'unexpected expression kind 3; expected shardRange() call or || operator'],
  ['[1]', 'unexpected expression kind 4; expected shardRange() call or || operator'],
  ['-1', 'unexpected expression kind 5; expected shardRange() call or || operator'],
  ["{'a': 1}", 'unexpected expression kind 6; expected shardRange() call or || operator'],
  [UID, 'unexpected expression kind 7; expected shardRange() call or || operator'],
  [`${LOWER} || true`, 'unexpected expression kind 5; expected shardRange() call or || operator'],
  [`${LOWER} && ${LOWER}`, 'unsupported function "_&&_"; only shardRange() and || are allowed'],
  [`!${LOWER}`, 'unsupported function "!_"; only shardRange() and || are allowed'],
  ['a ? b : c', 'unsupported function "_?_:_"; only shardRange() and || are allowed'],
  ['a in b', 'unsupported function "@in"; only shardRange() and || are allowed'],
  ['a >= b', 'unsupported function "_>=_"; only shardRange() and || are allowed'],
  ['a[0]', 'unsupported function "_[_]"; only shardRange() and || are allowed'],
  ['-a', 'unsupported function "-_"; only shardRange() and || are allowed'],
  ['has(a.b)', 'unsupported function "has"; only shardRange() and || are allowed'],
  ['[1].exists(x, x)', 'unsupported function "exists"; only shardRange() and || are allowed'],
  ['labelRange(1)', 'unsupported function "labelRange"; only shardRange() and || are allowed'],
  ['shardRange()', 'shardRange() requires exactly 3 arguments, got 0'],
  ["shardRange(a, 'b')", 'shardRange() requires exactly 3 arguments, got 2'],
  ["shardRange(a, 'b', 'c', 'd')", 'shardRange() requires exactly 3 arguments, got 4'],
  [
    of("object['metadata'].uid"),
    'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 1',
  ],
  [
    of(`'${UID}'`),
    'shardRange() first argument: expected field path (e.g. object.metadata.uid), got expression kind 5',
  ],
  [
    of('metadata.uid'),
    'unsupported field path "metadata.uid"; supported: object.metadata.uid, object.metadata.namespace',
  ],
  [
    of('object.metadata.name'),
    'unsupported field path "object.metadata.name"; supported: object.metadata.uid, object.metadata.namespace',
  ],
  [
    `${LOWER} || ${of('object.metadata.namespace')}`,
    'all shard ranges must use the same field, got "object.metadata.uid" and "object.metadata.namespace"',
  ],
  [with_('x'), "hexStart must be a string literal (e.g. '0xff'), got expression kind 3"],
  [with_("'0x' + 'a'"), "hexStart must be a string literal (e.g. '0xff'), got expression kind 1"],
  [with_('0'), 'hexStart must be a string literal, got int64'],
  [with_('0u'), 'hexStart must be a string literal, got uint64'],
  [with_('0.5'), 'hexStart must be a string literal, got float64'],
  [with_('true'), 'hexStart must be a string literal, got bool'],
  [with_('null'), 'hexStart must be a string literal, got structpb.NullValue'],
  [with_("b'0x'"), 'hexStart must be a string literal, got []uint8'],
  [with_("''"), `hexStart must have '0x' prefix, got ""`],
  [with_(`'0X${FIRST}'`), `hexStart must have '0x' prefix, got "0X${FIRST}"`],
  [with_("'0x'"), "hexStart: hex value is required after '0x'"],
  [
    with_("'0xcafe'"),
    'hexStart must be a 0x-prefixed 16-digit hex value, got "0xcafe" (did you mean "0x000000000000cafe"?)',
  ],
  [with_("'0xCAFE'"), 'hexStart: invalid hex character "C" in "0xCAFE"'],
  [with_("'0x0 0'"), 'hexStart: invalid hex character " " in "0x0 0"'],
  [with_(`'0xé"'`), 'hexStart: invalid hex character "é" in "0xé\\""'],
  [
    range(FIRST, '100000000000000000'),
    'hexEnd: hex value too long (18 chars, max 17): "100000000000000000"',
  ],
  [
    range(FIRST, '10000000000000001'),
    `hexEnd: 17-digit hex value must be '0x10000000000000000' (2^64), got "0x10000000000000001"`,
  ],
  [range(MIDDLE, MIDDLE), `shard range start 0x${MIDDLE} must be less than end 0x${MIDDLE}`],
  [range(END, END), `shard range start 0x${END} must be less than end 0x${END}`],
  [range(END, MIDDLE), `shard range start 0x${END} must be less than end 0x${MIDDLE}`],
];

/** Texts that are no CEL. The server answers with `CEL parse error: `, and the words of its parser. */
export const NO_CEL: readonly string[] = [
  '||',
  `${LOWER} ||`,
  `${LOWER} | ${LOWER}`,
  `${LOWER} ${LOWER}`,
  `${LOWER})`,
  `${LOWER},`,
  LOWER.slice(0, -1),
  LOWER.replace(')', ',)'),
  LOWER.replaceAll("'", '`'),
  'shardRange(',
  "'abc",
  'a..b',
  'a b',
  '#',
  'for',
];
