/** How a type of the data is written in TypeScript, and what has to be imported for it. */
export interface WrittenType {
  readonly text: string;
  readonly imports: readonly (readonly [from: string, name: string])[];
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** Types that the toolkit itself has words for. */
const OWN: Readonly<Record<string, WrittenType>> = {
  [`${META}.ObjectMeta`]: {
    text: 'Partial<ObjectMeta>',
    imports: [['../object.ts', 'ObjectMeta']],
  },
  [`${META}.OwnerReference`]: {
    text: 'OwnerReference',
    imports: [['../object.ts', 'OwnerReference']],
  },
  [`${META}.LabelSelector`]: {
    text: 'LabelSelector',
    imports: [['../selector.ts', 'LabelSelector']],
  },
  [`${META}.Condition`]: { text: 'Condition', imports: [['../condition.ts', 'Condition']] },
};

const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  bool: 'boolean',
  int32: 'number',
  int64: 'number',
  double: 'number',
  JSON: 'unknown',
  FieldsV1: 'Readonly<Record<string, unknown>>',
  RawExtension: 'Readonly<Record<string, unknown>>',
};

/** Forms of their own that are declared in `forms.ts`. */
const NAMED: Readonly<Record<string, string>> = {
  bytes: 'Base64',
  Time: 'Time',
  MicroTime: 'MicroTime',
  Duration: 'Duration',
  Quantity: 'Quantity',
  IntOrString: 'IntOrString',
};

const ALTERNATIVES: Readonly<Record<string, string>> = {
  JSONSchemaPropsOrBool: 'JSONSchemaProps | boolean',
  JSONSchemaPropsOrArray: 'JSONSchemaProps | readonly JSONSchemaProps[]',
  JSONSchemaPropsOrStringArray: 'JSONSchemaProps | readonly string[]',
};

/** From the names of the data, such as `#io.k8s.api.core.v1.Container`, to those of the files. */
export const Names = {
  /** `core-v1.ts` */
  file(name: string): string {
    const [version, group] = name.split('.').reverse().slice(1);
    return `${group}-${version}.ts`;
  },

  short(name: string): string {
    return name.slice(name.lastIndexOf('.') + 1);
  },

  own(name: string): WrittenType | undefined {
    return OWN[name];
  },

  /** The struct at the bottom of a list, a map or an alternative. */
  referred(type: string): string | undefined {
    const bottom = type.replace(/^(\[\]|map:)+/, '');
    return bottom.startsWith('#') ? bottom.slice(1) : undefined;
  },

  plain(type: string): WrittenType | undefined {
    const named = NAMED[type];
    if (named !== undefined) return { text: named, imports: [['./forms.ts', named]] };
    const alternative = ALTERNATIVES[type] ?? PLAIN[type];
    return alternative === undefined ? undefined : { text: alternative, imports: [] };
  },
};
