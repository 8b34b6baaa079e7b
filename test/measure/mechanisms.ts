/** Which files each mechanism for children and statuses has, at a commit and now, and how many lines they have. */

/** A file, or a folder that ends with `/`: its files but for those that another entry names. */
type Place = string;

export interface Mechanism {
  readonly name: string;
  readonly before: readonly Place[];
  readonly now: readonly Place[];
}

const CHILDREN = 'operator/controller/children/';
/** Knowledge of the fields and lists of an object. */
const SHAPE = 'operator/controller/object-shape/';
/** The three-way merge, which was in the folder of children. */
const MERGE = 'packages/metacontroller/src/children/';
const COMPOSITE = 'operator/composite/';
const FORMER = 'operator/controller/composite/';

export const MECHANISMS: readonly Mechanism[] = [
  { name: 'children', before: [CHILDREN], now: [CHILDREN, SHAPE, MERGE] },
  {
    name: 'status',
    before: [
      `${CHILDREN}replace-status.ts`,
      `${CHILDREN}write-status.ts`,
      `${FORMER}parent-status.ts`,
    ],
    now: [
      `${CHILDREN}replace-status.ts`,
      `${CHILDREN}send-status.ts`,
      `${CHILDREN}write-status.ts`,
      `${SHAPE}added-fields.ts`,
      `${SHAPE}condition-list.ts`,
      `${COMPOSITE}parent-status.ts`,
    ],
  },
  { name: 'composites', before: [FORMER], now: [COMPOSITE] },
  {
    name: 'decorators',
    before: ['operator/controller/decorator/'],
    now: [`${COMPOSITE}decorator/`],
  },
  { name: 'revisions', before: [`${FORMER}revisions/`], now: [`${COMPOSITE}revisions/`] },
  { name: 'related caches', before: [`${FORMER}related/`], now: [`${COMPOSITE}related/`] },
];

/** Folders of which every file is counted. */
export const COUNTED: { readonly before: readonly Place[]; readonly now: readonly Place[] } = {
  before: [CHILDREN, FORMER, 'operator/controller/decorator/'],
  now: [CHILDREN, SHAPE, MERGE, COMPOSITE],
};

/** Files of `packages/metacontroller` that are no part of a mechanism, besides those that it had before. */
export const ELSEWHERE: readonly Place[] = [
  'packages/metacontroller/src/command/',
  'packages/metacontroller/src/command.ts',
  'packages/metacontroller/src/index.ts',
  'packages/metacontroller/src/test-function/',
];

/** The place of a file: the longest one that names it. Undefined when none does. */
export function placeOf(file: string, places: readonly Place[]): Place | undefined {
  const named = places.filter((place) => isAt(file, place));
  return named.toSorted((a, b) => b.length - a.length)[0];
}

function isAt(file: string, place: Place): boolean {
  return place.endsWith('/') ? file.startsWith(place) : file === place;
}

/**
 * The files of each mechanism, by its name.
 *
 * @throws Error that names a file that is in no list, a place that is in two lists, and one that has no file.
 */
export function sorted(
  files: readonly string[],
  mechanisms: readonly { readonly name: string; readonly places: readonly Place[] }[],
): ReadonlyMap<string, readonly string[]> {
  const places = mechanisms.flatMap((mechanism) => mechanism.places);
  const twice = places.find((place, at) => places.indexOf(place) !== at);
  if (twice !== undefined) throw new Error(`${twice} is in two lists`);
  const lost = files.filter((file) => placeOf(file, places) === undefined);
  if (lost.length > 0) throw new Error(`in no list: ${lost.join(', ')}`);
  const used = new Set(files.map((file) => placeOf(file, places)));
  const empty = places.filter((place) => !used.has(place));
  if (empty.length > 0) throw new Error(`listed, and not there: ${empty.join(', ')}`);
  return new Map(
    mechanisms.map(({ name, places: own }) => [
      name,
      files.filter((file) => own.includes(placeOf(file, places) ?? '')),
    ]),
  );
}
