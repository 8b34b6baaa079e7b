/** A field of the spec of a new kind. */
export interface SpecField {
  readonly name: 'image' | 'message' | 'port' | 'replicas' | 'schedule';
  /** The type of the field in the schema. */
  readonly type: string;
  /** The value of the field in the sample, written as YAML. */
  readonly sample: string;
  /** Another valid value, written as TypeScript. */
  readonly changed: string;
  /** A value of a wrong type, written as TypeScript. The API server must refuse it. */
  readonly wrong: string;
}

/** All fields, in the order in which they are written. */
const SPEC_FIELDS: readonly SpecField[] = [
  {
    name: 'image',
    type: 'Type.String({ minLength: 1 })',
    sample: 'nginx:1.29',
    changed: "'nginx:1.30'",
    wrong: '7',
  },
  {
    name: 'replicas',
    type: 'Type.Integer({ minimum: 0, maximum: 100, default: 1 })',
    sample: '2',
    changed: '3',
    wrong: "'two'",
  },
  {
    name: 'port',
    type: 'Type.Integer({ minimum: 1, maximum: 65_535, default: 80 })',
    sample: '80',
    changed: '81',
    wrong: "'http'",
  },
  {
    name: 'schedule',
    type: "Type.String({ default: '0 * * * *' })",
    sample: "'0 * * * *'",
    changed: "'30 * * * *'",
    wrong: '7',
  },
  {
    name: 'message',
    type: "Type.String({ default: 'hello' })",
    sample: 'hello',
    changed: "'hello again'",
    wrong: '7',
  },
];

/**
 * The fields with these names, without duplicates, in the order in which they are written. If
 * `names` is empty, the only field is `message`.
 */
export function specFields(
  names: readonly SpecField['name'][],
): readonly [SpecField, ...SpecField[]] {
  const wanted = names.length === 0 ? ['message'] : names;
  const [first, ...others] = SPEC_FIELDS.filter(({ name }) => wanted.includes(name));
  if (first === undefined) throw new Error(`no field of the names ${wanted.join(', ')}`);
  return [first, ...others];
}
