/** Every place of a chart's values where a user can write something, by the chart's schema. */

type Json = Readonly<Record<string, unknown>>;

/** A place in values. */
export interface Place {
  /** As people write it: `manager.env[].name`; `{}` is a key that the user chooses. */
  readonly path: string;
  /** Whether a table or a list belongs there. */
  readonly isTable: boolean;
  /** Values with this at the place, and what else has to stand beside it. */
  readonly put: (value: unknown) => unknown;
}

export function schemaPlaces(schema: Json): readonly Place[] {
  return placesIn(schema, schema, '').filter(({ path }) => path !== '');
}

function placesIn(node: unknown, root: Json, path: string): readonly Place[] {
  if (typeof node !== 'object' || node === null) return [leaf(path, false)];
  const { $ref, anyOf, oneOf, items, properties, additionalProperties } = node as Json;
  if (typeof $ref === 'string') return placesIn(schemaAt(root, $ref), root, path);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return choices.flatMap((each) => placesIn(each, root, path));
  if (items !== undefined) {
    const inner = placesIn(items, root, `${path}[]`);
    return [leaf(path, true), ...inner.map((place) => within(place, (value) => [value]))];
  }
  const named = Object.entries((properties ?? {}) as Json).flatMap(([key, each]) =>
    placesIn(each, root, path === '' ? key : `${path}.${key}`).map((place) =>
      within(place, (value) => ({ ...besides(node as Json, key), [key]: value })),
    ),
  );
  const isOpen = (node as Json).type === 'object' && properties === undefined;
  const others = additionalProperties ?? (isOpen ? {} : false);
  if (others === false) return [leaf(path, named.length > 0), ...named];
  const free = placesIn(others, root, `${path}{}`);
  const key: Place = {
    path: `${path}{key}`,
    isTable: false,
    put: (value) => ({ [String(value)]: 'example' }),
  };
  return [
    leaf(path, true),
    ...named,
    key,
    ...free.map((place) => within(place, (value) => ({ example: value }))),
  ];
}

function leaf(path: string, isTable: boolean): Place {
  return { path, isTable, put: (value) => value };
}

function within(place: Place, outer: (value: unknown) => unknown): Place {
  return { ...place, put: (value) => outer(place.put(value)) };
}

/** What the schema requires beside `key`, as a text. */
function besides({ required }: Json, key: string): Json {
  const others = Array.isArray(required) ? (required as string[]) : [];
  return Object.fromEntries(others.filter((each) => each !== key).map((each) => [each, 'example']));
}

export function schemaAt(root: Json, reference: string): unknown {
  const keys = reference.replace(/^#\//, '').split('/');
  return keys.reduce<unknown>((node, key) => (node as Json | undefined)?.[key], root);
}
